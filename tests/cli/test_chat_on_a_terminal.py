"""`maitred chat` as people have it: on a terminal."""

import os
import pty
import signal
import subprocess
import sys


def test_ctrl_c_at_the_prompt_ends_the_chat(tmp_path):
    """As cleanly as /quit does. A signal that comes while the prompt is still being set up may be lost: people press again."""
    ours, theirs = pty.openpty()
    chat = subprocess.Popen([sys.executable, "-m", "maitred", "chat"], cwd=tmp_path, stdin=theirs, stdout=theirs)
    try:
        shown = b""
        while b"> " not in shown:
            shown += os.read(ours, 4096)
        for _ in range(5):
            chat.send_signal(signal.SIGINT)
            try:
                chat.wait(timeout=10)
                break
            except subprocess.TimeoutExpired:
                continue
        assert chat.poll() == 0
    finally:
        chat.kill()
        os.close(ours)
        os.close(theirs)

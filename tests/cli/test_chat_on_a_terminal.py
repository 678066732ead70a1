"""`maitred chat` as people have it: on a terminal."""

import os
import pty
import signal
import subprocess
import sys


def test_ctrl_c_at_the_prompt_ends_the_chat(tmp_path):
    """The first one, and as cleanly as /quit does."""
    ours, theirs = pty.openpty()
    chat = subprocess.Popen([sys.executable, "-m", "maitred", "chat"], cwd=tmp_path, stdin=theirs, stdout=theirs)
    shown = b""
    while b"> " not in shown:
        shown += os.read(ours, 4096)
    chat.send_signal(signal.SIGINT)
    assert chat.wait() == 0
    os.close(ours)
    os.close(theirs)

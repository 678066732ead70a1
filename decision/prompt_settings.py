"""PromptSettings: the sizes of a prompt. Defaults fit a small model; all bounds of `docs/prompt.md` follow from them."""

from dataclasses import dataclass

from ..protocol.history import NO_ACTION_TURNS, TEXT_TURNS, TURNS


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSettings:
    """Sizes in turns and characters.

    `keep`: at least so many past turns stay whole; a cut comes every `cut_every` turns, so at most `keep + cut_every - 1` are.
    `key_turns`: turns before those by their key sentences, `key_chars` for each side. `action_turns`: turns before those by what
    was done, `action_chars` each. `reply_chars`: of a past reply; `value_chars`: of one value, fact or label; `data_chars`: of
    the collected data; `meta_chars`: of the background; `result_chars`: of all tool results; `facts`: facts of knowledge;
    `error_chars`: of the last error. `own_message`: the block is a message of its own behind the customer's instead of a part
    of it (templates of some models refuse two messages of one role).
    """

    keep: int = 2
    cut_every: int = 3
    key_turns: int = 10
    key_chars: int = 60
    action_turns: int = 20
    action_chars: int = 120
    reply_chars: int = 2000
    value_chars: int = 300
    data_chars: int = 1000
    meta_chars: int = 300
    result_chars: int = 160
    facts: int = 3
    error_chars: int = 300
    own_message: bool = False

    def __post_init__(self) -> None:
        """Refuses tiers that a store does not fill."""
        if self.keep < 1 or self.cut_every < 1 or self.key_turns < 0 or self.action_turns < 0:
            raise ValueError("keep and cut_every are 1 or more, key_turns and action_turns 0 or more")
        texts = self.keep + self.cut_every - 1 + self.key_turns
        if texts > TEXT_TURNS:
            raise ValueError(
                f"keep + cut_every - 1 + key_turns is {texts}; stores return the texts of {TEXT_TURNS} turns"
            )
        if texts + self.action_turns > TURNS:
            raise ValueError(f"all tiers together are {texts + self.action_turns} turns; stores return {TURNS}")
        if self.action_turns and self.keep + self.key_turns < NO_ACTION_TURNS:
            least = NO_ACTION_TURNS
            raise ValueError(
                f"keep + key_turns is {self.keep + self.key_turns}; what was done is told of turns {least} back"
            )

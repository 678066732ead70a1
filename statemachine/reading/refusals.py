"""What people write instead of a name: that there is none, that they keep it, that they want to be asked later.

Owns those words. An answer is a refusal if it has nothing but them, so that "Privacy Matters Ltd" and 隐私科技 stay names. Called
by the readers of free text.
"""

import re

# One of these makes the answer a refusal, ...
_REFUSES = frozenset(
    "private privacy personal confidential confidentiality anonymous anonymously undisclosed withheld withhold secret classified "
    "unnamed nameless no not none nothing na never rather prefer decline declined refuse refused redacted without don't "
    "won't can't cannot later skip pass hidden ask".split()
)
# ... beside any of these.
_BESIDE = frozenset(
    "company company's business firm organization organisation team shop store person individual people name names named "
    "one info information data detail details matter matters question comment reason reasons answer answers say saying "
    "tell telling told give giving share sharing disclose reveal provide mention be stay remain keep kept is are was am "
    "it it's its that that's this to at for of in on by and so now yet the a an any my our your me you i i'm i'd we "
    "we're we'd would will do have just strictly totally completely very really moment time all here please pls plz "
    "thanks thank sorry ok okay well top sensitive applicable available as if possible".split()
)
_WORD = re.compile(r"[^\s.,!/-]+")

_REFUSES_ZH = (
    r"隐私|隱私|保密|匿名|秘密|机密|機密|涉密|私密|敏感信息|无可奉告|無可奉告|拒绝|拒答"
    r"|不(?:方便|便|想|愿意?|能|肯|告诉|透露|公开|公布|提供|说|填|给)|没必要|待定|[没沒]有?|[暂暫]?[无無]|[别別]问|以后|跳过|跳過|晚点|回头"
    r"|待会儿?|稍后"
)
_BESIDE_ZH = (
    r"公司|单位|單位|机构|企业|店|个人|個人|[我你您咱]们?|名字?|名称|名稱|姓名|信息|资料|问题|[这這那][个個]?|先|[暂暫][时時]?|就|也|都"
    r"|[还還]|[请請]|需要|要|属于|屬於|是|的|有|可以|能|告诉|透露|公开|提供|回答|[说說]|讲|填|写|随便|给|再|问|登记|注册|起|取|商业|内部|目前"
    r"|现在|对不起|不好意思|抱歉|谢谢|[吧了啊呀哈哦呢啦嘛\s,，.。!]"
)
_SAYS_SO_ZH = re.compile(_REFUSES_ZH)
_ANY_ZH = re.compile(f"{_REFUSES_ZH}|{_BESIDE_ZH}")


def is_refusal(answer: str) -> bool:
    """Whether a lower-case answer says only that no name is given ("rather not say", 先不说)."""
    if answer.isascii():
        words = frozenset(_WORD.findall(answer.replace("n/a", "na")))
        return not words.isdisjoint(_REFUSES) and words <= _REFUSES | _BESIDE
    return bool(_SAYS_SO_ZH.search(answer)) and not _ANY_ZH.sub("", answer)

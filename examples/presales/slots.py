"""What the example asks its customers, in both languages."""

from ...protocol.slots import Slot

COMPANY = Slot(
    str,
    read="text",
    label={"en": "your company's name", "zh": "公司名称"},
    ask={"en": "What is your company called?", "zh": "请问贵公司怎么称呼？"},
    cues=("company", "we are", "we're", "from", "公司", "我们是", "单位", "这边是"),
    maximum=80,
)
SEATS = Slot(
    int,
    read="number",
    label={"en": "the number of seats", "zh": "席位数"},
    ask={"en": "How many people will use the phones?", "zh": "大概有多少人使用电话？"},
    cues=("seats", "people", "persons", "users", "employees", "staff", "colleagues", "agents", "人", "席", "座席", "坐席", "个人", "员工", "位"),
    minimum=1,
    maximum=500,
)
CONTACT = Slot(
    str,
    read="phone",
    label={"en": "a phone number", "zh": "联系电话"},
    ask={"en": "On which phone number can we reach you?", "zh": "请留一个联系电话。"},
    pattern=r"\+?\d{7,15}",
)
USE = Slot(
    "choice",
    read="choices",
    label={"en": "what the phones are for", "zh": "用途"},
    ask={
        "en": "What are the phones mainly for: sales calls, customer support, or calls inside the company?",
        "zh": "主要用途是销售外呼、客户服务，还是公司内部通话？",
    },
    choices={
        "sales": ("sales calls", "selling", "outbound", "telesales", "cold calls", "销售", "外呼", "电销", "打给客户"),
        "support": ("customer support", "customer service", "helpdesk", "help desk", "hotline", "inbound", "客服", "客户服务", "售后", "热线", "接电话"),
        "internal": ("internal calls", "inside the company", "inside", "office", "内部", "内部通话", "办公", "同事之间"),
    },
)
BUDGET = Slot(
    float,
    read="number",
    label={"en": "your budget per month", "zh": "每月预算"},
    ask={"en": "What is your budget per month, in yuan?", "zh": "每个月预算大概多少元？"},
    cues=("budget", "yuan", "cny", "rmb", "per month", "a month", "monthly", "预算", "元", "块", "¥", "每月", "一个月", "费用"),
    minimum=1,
    maximum=10_000_000,
)
TERM = Slot(
    int,
    read="number",
    label={"en": "the term in months", "zh": "签约月数"},
    ask={"en": "For how many months would you like to sign?", "zh": "打算签约多少个月？"},
    cues=("months", "month", "term", "个月", "月", "签约", "签"),
    minimum=1,
    maximum=60,
)
RECORDING = Slot(
    bool,
    read="yes_no",
    label={"en": "whether calls are recorded", "zh": "是否录音"},
    ask={"en": "Do you need call recording? (yes / no)", "zh": "需要通话录音吗？（需要 / 不需要）"},
    cues=("recording", "recorded", "record", "recordings", "录音"),
)
PLAN_WISH = Slot(
    "choice",
    read="choices",
    required=False,
    label={"en": "the plan", "zh": "套餐"},
    choices={
        "basic": ("basic plan", "基础版"),
        "standard": ("standard plan", "标准版"),
        "pro": ("pro plan", "professional", "专业版"),
        "flagship": ("flagship plan", "旗舰版"),
    },
)

"""What the example asks its customers, in both languages."""

from ...protocol.slots import Slot

# Who calls whom tells the use: customers who call want support, customers who are called are to buy.
_CUSTOMERS = "customers clients patients guests users people parents members buyers callers shoppers students tenants visitors".split()
_CALLS = "call ring phone dial".split()
_CUSTOMERS_ZH = "客户 顾客 客人 用户 患者 病人 家长 会员 学员 业主 车主 买家 消费者 租客".split()

COMPANY = Slot(
    str,
    read="text",
    label={"en": "your company's name", "zh": "公司名称"},
    ask={"en": "What is your company called?", "zh": "请问贵公司怎么称呼？"},
    cues=(
        "company", "company name", "business", "firm", "organisation", "organization", "shop", "school", "clinic", "team",
        "we are", "we're", "from", "this is", "on behalf of", "work for", "work at", "work with", "i'm with", "we are with", "we're with", "go by", "represent",
        "representing", "at", "of", "for",
        "公司", "公司名", "公司名字", "公司名称", "公司全称", "公司抬头", "单位", "我司", "店名", "我们店", "机构", "企业名称", "诊所",
        "我们是", "这边是", "这里是", "我是", "我这边是", "咱们是", "我们叫", "代表", "来自", "我们", "我在",
    ),
    maximum=60,
)  # fmt: skip
SEATS = Slot(
    int,
    read="number",
    label={"en": "the number of seats", "zh": "席位数"},
    ask={"en": "How many people will use the phones?", "zh": "大概有多少人使用电话？"},
    cues=(
        "seats", "people", "ppl", "persons", "users", "employees", "staff", "colleagues", "agents", "workers", "members",
        "teammates", "folks", "operators", "salespeople", "reps", "lines", "of us", "team of", "group of", "headcount", "extensions", "licences", "licenses",
        "人", "席", "座席", "坐席", "席位", "个人", "人数", "员工", "位", "同事", "号人", "口人", "部电话", "台电话", "部话机", "人手", "工位", "分机", "账号",
    ),
    minimum=1,
    maximum=500,
)  # fmt: skip
CONTACT = Slot(
    str,
    read="phone",
    label={"en": "a phone number", "zh": "联系电话"},
    ask={"en": "On which phone number can we reach you?", "zh": "请留一个联系电话。"},
    cues=(
        "phone",
        "number",
        "mobile",
        "cell",
        "tel",
        "call me",
        "reach me",
        "电话",
        "手机",
        "号码",
        "联系方式",
        "座机",
    ),
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
        "sales": (
            "selling", "sell ... phone", "outbound", "outgoing", "telesales", "telemarketing", "marketing", "cold calls", "outreach", "leads",
            "prospects", "prospecting", *(f"{call} ... {who}" for call in _CALLS for who in _CUSTOMERS), "contact ... customers", "contact ... clients", "reach ... customers",
            "reach ... clients", "new customers", "new clients", "promote", "promotion calls", "call people", "call out",
            "销售", "外呼", "电销", "推销", "营销", "推广", "拓客", "获客", "拉客户", "找客户", "卖", "业务员", "跑业务", "往外打",
            "打出去", "打给...客户", *(f"跟{who}{verb}" for verb in ("联系", "沟通") for who in _CUSTOMERS_ZH), *(f"{verb}{who}" for verb in ("打电话给", "联系", "打给") for who in _CUSTOMERS_ZH), "给...打电话", "给...去电", "联系...客户", "开发...客户", "跟进客户", "开发市场", "邀约",
        ),
        "support": (
            "customer service", "customer care", "client service", "service calls", "help desk", "helpdesk", "hotline", "inbound", *(f"{who} {call}" for call in _CALLS for who in _CUSTOMERS),
            "incoming", "reception", "call centre", "call center", "calls from", "call us", "phone us", "reach us", "contact us", "get through", "through to us", "get hold of us",
            "ring us", "call in", "phone in", "calling in", "answer ... calls", "answer ... phones", "answer ... customers",
            "answer ... clients", "answer ... questions", "take ... calls", "receive ... calls", "get ... calls",
            "handle ... calls", "pick up", "enquiries", "inquiries", "queries", "complaints", "bookings", "appointments", "reservations", "orders by phone", "take ... orders",
            "help ... customers", "help ... clients", "help ... users", "serve ... customers", "assist ... customers",
            "after-sales", "after sales", "aftersales", "technical support", "tech support", "front desk", "troubleshooting",
            "客服", "客户服务", "服务客户", "服务热线", "售后", "热线", "接电话", "接听", "接...电话", "接...来电", *(f"{who}...打电话" for who in _CUSTOMERS_ZH), *(f"{who}...打来" for who in _CUSTOMERS_ZH), "来电", "呼入",
            "打进来", "打进", "找我们", "找到我们", "联系我们", "打过来", "打来", "打电话来", "打电话过来", "打电话进来", "打给我们", "给我们打电话", "咨询电话", "咨询热线", "客户咨询",
            "电话咨询", "接咨询", "来咨询", "接...咨询", "投诉", "报修", "客户预约", "电话预约", "预约电话", "答疑", "解答", "客诉", "接单", "订位", "前台",
        ),
        "internal": (
            "internal", "internally", "office calls", "office use", "team communication", "inside the company", "within the company", "in-house", "inhouse", "intercom",
            "each other", "one another", "between ourselves", "among ourselves", "between ... offices", "between ... office",
            "between ... branches", "between ... departments", "between ... teams", "between ... stores", "between ... staff",
            "between ... colleagues", "among ... staff", "among ... colleagues", "to each other",
            "内部", "内部通话", "内线", "办公", "公司里", "跟...联系", "和...联系", "与...联系", "跟...沟通", "互相", "互打", "同事之间", "自己人", "员工之间", "部门之间", "门店之间", "公司之间",
            "之间联系", "之间沟通", "之间通话", "之间打电话", "各部门", "各门店", "各分公司",
        ),
    },
)  # fmt: skip
BUDGET = Slot(
    float,
    read="number",
    label={"en": "your budget per month", "zh": "每月预算"},
    ask={
        "en": "What is your budget per month, in yuan? A rough figure is enough.",
        "zh": "每个月预算大概多少元？说个大概数就行。",
    },
    # The shop has one currency and its recommendation says which, so "$" or "bucks" said in passing is read as yuan.
    cues=(
        "budget", "yuan", "cny", "rmb", "kuai", "bucks", "dollars", "usd", "$", "spend", "per month", "a month", "each month",
        "every month", "monthly", "/month", "预算", "元", "块", "块钱", "元钱", "人民币", "¥", "每月", "每个月", "一个月", "月均",
        "/月", "费用", "花费", "价位",
    ),
    minimum=1,
    maximum=10_000_000,
)  # fmt: skip
TERM = Slot(
    int,
    read="number",
    label={"en": "the term in months", "zh": "签约月数"},
    ask={"en": "For how many months would you like to sign?", "zh": "打算签约多少个月？"},
    cues=("months", "month", "term", "contract", "个月", "月", "签约", "签", "期限", "合同期"),
    minimum=1,
    maximum=60,
)
RECORDING = Slot(
    bool,
    read="yes_no",
    label={"en": "whether calls are recorded", "zh": "是否录音"},
    ask={"en": "Do you need call recording? (yes / no)", "zh": "需要通话录音吗？（需要 / 不需要）"},
    cues=("recording", "record", "recordings", "录音", "录下来", "录制"),
)
PLAN_WISH = Slot(
    "choice",
    read="choices",
    required=False,
    label={"en": "the plan", "zh": "套餐"},
    choices={
        "basic": ("basic plan", "基础版", "基础套餐"),
        "standard": ("standard plan", "标准版", "标准套餐"),
        "pro": ("pro plan", "professional", "专业版", "专业套餐"),
        "flagship": ("flagship plan", "旗舰版", "旗舰套餐"),
    },
)

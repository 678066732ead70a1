"""What the example asks its customers, in both languages."""

from ...protocol.slots import Slot

# Who calls whom tells the use: customers who call want support, customers who are called are to buy.
_CUSTOMERS = (
    "customers clients patients guests users people parents members buyers callers shoppers students tenants visitors residents owners "
    "passengers diners families donors subscribers suppliers pupils"
).split()
_PROSPECTS = "leads prospects homeowners strangers businesses companies shops".split()
_CALLS = "call ring phone telephone dial".split()
_ASK = (
    "call",
    "ring",
    "phone",
    "telephone",
    "dial",
    "ask us",
    "ask about",
    "ask ... questions",
    "book",
    "reserve",
    "order",
    "complain",
    "enquire",
    "inquire",
    "reach us",
    "need help",
)
_CUSTOMERS_ZH = "客户 顾客 客人 用户 患者 病人 家长 会员 学员 业主 车主 买家 消费者 租客 新人 食客 住户 旅客 老人 学生 车友 粉丝 读者 乘客".split()
_ASK_ZH = (
    "打电话",
    "打来",
    "打进",
    "打这个",
    "来电",
    "来问",
    "来咨询",
    "电话问",
    "电话咨询",
    "咨询",
    "预约",
    "挂号",
    "投诉",
    "报修",
    "报障",
    "改时间",
    "改期",
    "改签",
    "订位",
    "订房",
    "订餐",
    "订货",
    "下单",
    "有问题",
    "有事找",
    "找我们",
    "找得到",
    "找到",
    "催",
    "查单",
    "查询",
    "退换",
    "呼叫",
    "求助",
)
_PLACES = "offices office branches departments teams stores staff colleagues sites shops floors buildings rooms us ourselves warehouses workers employees kitchen kitchens desks locations units crews drivers".split()
_PLACES_ZH = "同事 老师 医生 护士 师傅 店员 工人 队员 员工 部门 门店 分店 公司 车间 办公室 楼层 仓库 班组 店 各店 科室 兄弟单位 分公司 工地 厂区 司机".split()
_WARES = "产品 课 课程 活动 套餐 保险 项目 服务 房子 理财 卡 货 优惠".split()

_JOBS = (
    "sales reps",
    "representatives",
    "salesmen",
    "technicians",
    "nurses",
    "drivers",
    "consultants",
    "receptionists",
    "telemarketers",
    "waiters",
    "waitresses",
    "cooks",
    "chefs",
    "teachers",
    "doctors",
    "engineers",
    "clerks",
    "cashiers",
    "assistants",
    "guys",
    "girls",
    "ladies",
    "volunteers",
    "dispatchers",
    "brokers",
    "advisors",
    "advisers",
    "developers",
    "managers",
    "secretaries",
    "hairdressers",
    "stylists",
    "mechanics",
    "tutors",
    "coaches",
    "lawyers",
    "interns",
    "callers",
    "recruiters",
    "estate agents",
    "bakers",
    "plumbers",
    "electricians",
    "cleaners",
    "guards",
    "therapists",
    "dentists",
    "vets",
    "pharmacists",
    "accountants",
    "paralegals",
    "hands",
)
_JOBS_ZH = (
    "业务员 伙计 销售 店员 服务员 司机 老师 医生 护士 师傅 技师 客服 员工 工人 文员 姑娘 小姑娘 小伙 小伙子 兄弟 同事 顾问 经理 助理 话务员 接线员 店长 厨师 教练 律师 会计 "
    "快递员 前台 保安 经纪人 中介 讲师 学徒 帮手 工程师 调度 导购 美容师 理发师 设计师 促销员 电销员 电销 推销员 阿姨 大姐 座席 坐席 席位 分机 座机 话机 账号 工位"
).split()

COMPANY = Slot(
    str,
    read="text",
    label={"en": "your company's name", "zh": "公司名称"},
    ask={"en": "What is your company called?", "zh": "请问贵公司怎么称呼？"},
    cues=(
        "company", "company name", "business name", "name of business", "name of the business", "name of company", "name of the company", "name of our company", "shop name", "business", "firm", "organisation", "organization", "shop", "school", "clinic", "team",
        "we are", "we're", "from", "this is", "on behalf of", "work for", "work at", "work with", "i'm with", "we are with", "we're with", "go by", "represent", "call us", "known as", "trade as", "trading as",
        "representing", "at", "of", "for",
        "公司", "公司名", "公司名字", "公司名称", "公司全称", "公司抬头", "单位", "我司", "店名", "我们店", "机构", "企业名称", "诊所",
        "我们是", "这边是", "这里是", "我是", "我这边是", "咱们是", "我们叫", "叫我们", "代表", "来自", "我们", "我在",
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
        "人", "席", "座席", "坐席", "席位", "个人", "人数", "员工", "位", "同事", "号人", "口人", "部电话", "台电话", "部话机", "人手", "工位", "分机", "账号", *_JOBS, *(f"{one}{who}" for one in "个名位" for who in _JOBS_ZH),
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
            "reach ... clients", "new customers", "new clients", "promote", "promotion calls", "call people", "call out", "calling out", "dial out", "call ... offer",
            *(f"{call} ... {who}" for call in ("call", "ring", "phone", "dial", "contact", "visit", "reach", "chase", "email") for who in _PROSPECTS), "visit ... customers", "visit ... clients", "chase ... customers",
            "pitch", "upsell", "win ... customers", "win ... clients", "find ... customers", "find ... clients", "lead generation", "lead gen", "follow up with", "follow-up calls", "appointments with prospects", "demos",
            "canvass", "telesell", "drum up", "sign up new", "offer ... over the phone", "sell over the phone", "sell",
            "销售", "外呼", "电销", "推销", "营销", "推广", "拓客", "获客", "拉客户", "找客户", "卖", "业务员", "跑业务", "往外打",
            "打出去", "打给...客户", *(f"跟{who}{verb}" for verb in ("联系", "沟通") for who in _CUSTOMERS_ZH), *(f"{verb}{who}" for verb in ("打电话给", "联系", "打给") for who in _CUSTOMERS_ZH), "给...打电话", "给...去电", "联系...客户", "开发...客户", "跟进客户", "开发市场", "邀约", "跑客户", "约客户", "拉新", "回访", "新客户", "找...客户", "约...看房", "主动打", "打过去", "往外拨", "打出电话", "地推", "陌拜", "陌生客户", "意向客户", "潜在客户", "谈客户", "谈生意", "找生意", "拉生意", "拉单", "促单", "催费",
            *(f"推{ware}" for ware in _WARES), *(f"{verb}...{ware}" for verb in ("推", "卖", "介绍", "推荐") for ware in _WARES), "推...客户", "打给...推", "招商", "招生", "跟单", "挖客户", "唤醒", "群呼", "外拨", "给...推", "做业务", "跑单", "新客", "开发新", "做市场", "跑市场", "外拓", "招揽", "揽客", "拓展客户", "拓展业务", "复购", "knock on doors", "knocking on doors", "new accounts", "new business", "tell ... about our", "telling ... about our",
        ),
        "support": (
            "customer service", "customer care", "client service", "service calls", "help desk", "helpdesk", "hotline", "inbound", *(f"{who} ... {ask}" for ask in _ASK for who in _CUSTOMERS),
            *(f"calls from ... {who}" for who in _CUSTOMERS), "we answer", "take ... questions", "handle ... questions", "field ... questions", "customer questions", "customer queries", "deal with ... questions", "help line", "helpline", *(f"{what} for ... {who}" for what in ("number", "line", "phone") for who in _CUSTOMERS), *(f"answering {who}" for who in _CUSTOMERS), "callers ask", "callers ... ask", "pick up when", "pick up the phone", "taking bookings", "ask us questions", *(f"want to {ask}" for ask in ("book", "reserve", "order", "ask")),
            "incoming", "reception", "call centre", "call center", "calls from", "call us", "phone us", "reach us", "contact us", "get through", "through to us", "get hold of us",
            "ring us", "call in", "phone in", "calling in", "answer ... calls", "answer ... phones", "answer ... customers",
            "answer ... clients", "answer ... questions", "take ... calls", "receive ... calls", "get ... calls",
            "handle ... calls", "pick up", "enquiries", "inquiries", "queries", "complaints", "bookings", "appointments", "reservations", "orders by phone", "take ... orders",
            "help ... customers", "help ... clients", "help ... users", "serve ... customers", "assist ... customers",
            "after-sales", "after sales", "aftersales", "technical support", "tech support", "front desk", "troubleshooting",
            "客服", "客户服务", "服务客户", "服务热线", "售后", "热线", "接电话", "接听", "接...电话", "接...来电", *(f"{who}...{ask}" for who in _CUSTOMERS_ZH for ask in _ASK_ZH), *(f"{who}{do}" for who in _CUSTOMERS_ZH for do in "问催找改订报查约"), "业主有事", "回答客户", "回答顾客", "处理客户", "来电", "呼入", "接客户", "接咨询", "接单子", "有人打来", "别人打给我们",
            "打进来", "打进", "找我们", "找到我们", "联系我们", "打过来", "打来", "打电话来", "打电话过来", "打电话进来", "打给我们", "给我们打电话", "咨询电话", "咨询热线", "客户咨询",
            "电话咨询", "接咨询", "来咨询", "接...咨询", "投诉", "报修", "客户预约", "电话预约", "预约电话", "答疑", "解答", "客诉", "接单", "订位", "前台接", "前台电话", "前台用", "做前台", "前台接待", "打到前台", "reach our", "reach the", "they call", "people reach", "电话问诊", "问诊", "挂号", "接待", "预约挂号", "订餐电话",
        ),
        "internal": (
            "internal", "internally", "office calls", "office use", "team communication", "inside the company", "within the company", "in-house", "inhouse", "intercom",
            "each other", "one another", "between ourselves", "among ourselves", "between ... offices", "between ... office",
            "between ... branches", "between ... departments", "between ... teams", "between ... stores", "between ... staff",
            "between ... colleagues", "among ... staff", "among ... colleagues", "to each other", *(f"{word} {place}" for word in ("between", "among") for place in _PLACES), *(f"between ... {place}" for place in _PLACES),
            *(f"{who} {call} {whom}" for who in ("staff", "colleagues", "departments", "branches", "employees") for call in ("call", "ring", "phone") for whom in ("staff", "colleagues", "departments", "branches", "employees", "each")),
            "talk to the office", "call the office", "talk to each", "talk to one another", "inside the building", "within the building", "within the team", "within the firm", "within the group", "our own people", "our own staff", "own staff only",
            "office to office", "among themselves", "between themselves", "office to branches", "drivers and the depot", "自己员工", "员工用", "各科室", "喊话", "各车间", "各店", "room to room", "desk to desk", "extension to extension", "only us", "just us", "staff only",
            "内部", "内部通话", "内线", "办公", "公司里", "跟...联系", "和...联系", "与...联系", "跟...沟通", "互相", "互打", "同事之间", "自己人", *(f"{who}{join}" for who in _PLACES_ZH for join in ("之间", "间", "互", "相互")), "前台...后厨", "前台...厨房", "前台...仓库", "前台...车间", "前厅...后厨", "楼上楼下", "上下楼", "对内", "自家人", "自己用", "自己人用", "我们自己", "内网", "总部...分店", "总部...门店", "总店...分店", "厂里", "店里自己", "厂区内", "楼内", "院内", "校内", "店内", "厨房...大堂", "领导找员工", "总机转", "only colleagues", "only staff", "office need to talk", "talk to head office", "talking to head office", "to speak with one another", "speak to one another", "keep in touch with the office", "call the ward", "on the ward", "和...之间", "跟...之间", "与...之间", "到...之间",
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
    cues=("recording", "record", "recordings", "taped", "录音", "录下来", "录制", "留录音"),
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

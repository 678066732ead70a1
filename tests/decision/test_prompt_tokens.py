"""The estimate of tokens against what Qwen2.5's tokenizer counts, and what it is made of."""

import pytest

from maitred.decision.prompt_tokens import estimated_tokens

COUNTED = (  # by llama.cpp's /tokenize with Qwen2.5-Coder 1.5B; the frame of a message is 5 more
    (17, "You can reach me at 13800138000"),
    (
        69,
        "Please check: Leeds Dental, phone 13800138000; Standard, 25 seats, 12 months: CNY 18,630.00 (CNY 2,070.00 off). "
        "Shall I place the order? (yes / no)",
    ),
    (
        68,
        "I recommend Standard: it suits customer support, with call recording, voice menus and call reports; 20 seats cost "
        "CNY 1,380.00 a month, within your budget of CNY 2,000.00. Shall we take this one, or would you like to see another?",
    ),
    (
        46,
        'Known: company="Leeds Dental", seats=20, contact="13800138000", use="support", budget=2000, term_months=12, '
        "recording=true",
    ),
    (13, "我们公司叫蓝海牙科，大概20个人用"),
    (
        77,
        "订单 SO20261130-000001 已生成，金额 30,345.00 元。请在 30 分钟内通过 "
        "https://pay.example.com/SO20261130-000001 完成付款，付好后告诉我一声。",
    ),
    (
        65,
        "为您推荐专业版：适合客户服务，含录音质检、外呼任务、排队和客户系统对接；20 席每月 2,380.00 元，"
        "在预算 3,000.00 元 以内。就选这个吗？还是想看看别的？",
    ),
)


def test_the_estimate_does_not_flatter():
    """Of all together not below the true number, and not far above it."""
    true = sum(tokens + 5 for tokens, _ in COUNTED)
    assert true <= estimated_tokens(text for _, text in COUNTED) <= 1.15 * true


@pytest.mark.parametrize(("tokens", "text"), COUNTED)
def test_each_text_is_about_right(tokens, text):
    assert estimated_tokens([text]) == pytest.approx(tokens + 5, rel=0.2)


def test_every_message_costs_its_frame():
    assert estimated_tokens(["", ""]) == 10
    assert estimated_tokens([]) == 0

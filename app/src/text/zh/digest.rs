//! Simplified Chinese: the digest.

use super::super::*;

/// The digest.
pub const DIGEST: Digest = Digest {
    title: "摘要通知",
    lead: "在你选定的时间，把等待你处理的情况发送到你常用的地方。没有待处理内容时不发送。",
    holds: "只包含数字和链接：你的智能体和语言中有多少条待审、自何时起、哪些即将过期、哪些失败。绝不包含记忆内容或任何人的名字。",
    on: "向我发送摘要",
    on_how: "关闭时不发送；下方设置会保留。",
    when: "时间",
    hour: "时刻",
    zone: "时区",
    days: "星期",
    days_how: "未选的是你的休息日：休息前的最后一次摘要会提醒期间将过期的内容。",
    weekdays: [
        "星期一",
        "星期二",
        "星期三",
        "星期四",
        "星期五",
        "星期六",
        "星期日",
    ],
    to: "发送到",
    by: "方式",
    by_webhook: "聊天工具的 Webhook",
    by_mail: |address| format!("电子邮件（{address}）"),
    mail_off: "此安装不发送电子邮件：由管理员设置 KEEPSAKE_SMTP_URL 和 KEEPSAKE_MAIL_FROM。",
    shape: "聊天工具",
    url: "Webhook 地址",
    url_how: "以 https:// 开头。请勿外传：知道它的人都能发消息。",
    save: "保存",
    test: "立即发送测试",
    test_how: "发送到最近一次保存的地址，内容为当前数字。",
    state: "上次与下次",
    next: "下次",
    sent: "上次发送",
    never: "从未",
    failed: |why| format!("上次发送失败：{why}"),
    why: |word| match word {
        "not_resolved" => "无法解析该地址的名称。".to_owned(),
        "private_address" => {
            "该地址位于私有网络中，此处不允许（KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES）。".to_owned()
        }
        "https" | "shape" => "该地址不是 https 地址。".to_owned(),
        "timeout" => "未在规定时间内答复。".to_owned(),
        "unreachable" => "没有答复。".to_owned(),
        "mail_off" => "此安装不发送电子邮件。".to_owned(),
        "mail_refused" => "邮件服务器拒收。".to_owned(),
        "unreadable" => "设置已无法读取，请重新设置。".to_owned(),
        "internal" | "unavailable" => "Keepsake内部出错，详见日志。".to_owned(),
        other => match other.strip_prefix("answered_") {
            Some(status) => format!("答复为 {status}。"),
            None => other.to_owned(),
        },
    },
    again: "会自动重试；可用测试检查现在是否正常。",
    flash_saved: "已保存。",
    flash_sent: "测试已发送。",
};

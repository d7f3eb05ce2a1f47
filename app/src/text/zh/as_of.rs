//! Simplified Chinese: an earlier instant, and one answer that an agent got.

use super::super::*;

/// An earlier instant.
pub const AS_OF: AsOf = AsOf {
    title: "当时已知的内容",
    lead: "在某一时刻，关于此人已批准的内容、待审的内容，以及到那时为止提供给智能体的内容。",
    link: "查看过去的时刻",
    link_how: "查看任一时刻已批准、待审和已提供的内容。",
    at: |zone| format!("日期和时间（{zone}）"),
    at_how: "采用浏览器的时区；在打开审核页面之前为UTC。",
    show: "显示",
    then: |local, utc| format!("截至{local}（{utc}）"),
    same: "指向该时刻的链接（任何时区都相同）",
    export: "导出这些内容",
    export_how: "包含这些内容、供审计员使用的导出，任何人都无需 Keepsake 即可核验。",
    known: "已批准且未到期",
    known_none: "当时没有已批准的内容。",
    memory: "记忆",
    approved: "批准时间",
    by: "批准者",
    agreed: |who| format!("此前{who}已同意"),
    ends: "当时的到期时间",
    waiting: "待审的内容",
    waiting_none: "当时没有待审的内容。",
    since: "开始等待",
    until: "当时的期限",
    served: "到那时为止提供给智能体的内容",
    served_none: "当时尚未提供任何内容。",
};

/// One answer that an agent got.
pub const SERVED: Served = Served {
    title: "提供的内容",
    lead: "智能体得到的一次回答，每条内容均为提供时的版本。",
    told: |n| format!("提供了{}条记忆", grouped(n)),
    in_session: |session| format!("会话 {session}"),
    in_no_session: "未指明会话",
    session: "会话",
    tokens: |n| format!("约{}个令牌", grouped(n)),
    cut: |n| format!("省略{}条", grouped(n)),
    nothing: "文本为空，没有提供任何内容。",
    gone: "该版本的内容已不存在。",
    see: "提供的内容",
};

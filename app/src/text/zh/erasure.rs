//! Simplified Chinese: erasing a person, legal holds, retention.

use domain::erasure::ErasureReason;

use super::super::*;

/// Erasing a person.
pub const ERASURE: Erasure = Erasure {
    title: "抹除",
    lead: "与此人有关的一切都会消失，无法恢复。审计记录保留并仍可校验，但不含姓名和任何话语。正在运行的任务、为重复请求保存的回答以及包含此人的导出文件也会一并删除。",
    count: |name| match name {
        "conversations" => "对话",
        "messages" => "消息",
        "extractions" => "提取",
        "candidates" => "候选",
        "decisions" => "决定",
        "memories" => "记忆",
        "revisions" => "版本",
        "servings" => "提供记录",
        "jobs" => "任务",
        "exports" => "导出文件",
        _ => "其他",
    },
    why: "原因",
    reason: |reason| match reason {
        ErasureReason::AskedFor => "本人要求",
        ErasureReason::ConsentWithdrawn => "本人撤回同意",
        ErasureReason::Objected => "本人提出反对",
        ErasureReason::NoLongerNeeded => "不再需要",
        ErasureReason::Unlawful => "本不应保存",
        ErasureReason::Other => "其他原因（另行记录）",
        ErasureReason::Restored => "恢复的备份中含有此人",
    },
    confirm: "名称",
    confirm_how: |name| format!("请输入 {name} 以确认。"),
    button: "抹除此人",
    kept: "此人处于法律保留之下，解除之前无法抹除。",
    flash_done: "已抹除，无法恢复。",
    flash_changed: "打开页面之后此人的数据有变动。请重新查看数字，再抹除。",
    flash_held: |who, why| format!("{who}设置的法律保留涉及此人：{why}"),
    gone: "已抹除",
    gone_how: "已知内容、提议、决定和话语均已删除，封存它们的密钥也已销毁。审计记录仍说明发生过什么。",
    gone_at: "抹除时间",
    gone_by: "执行者",
    known_since: "首次出现",
    audit: "审计记录中保留的内容",
    conversation_removed: |when| format!("此对话的内容已于{when}因保存期满而删除。"),
    candidate_removed: |when| {
        format!("此候选已于{when}因保存期满而删除。它曾被拒绝，从未成为记忆。")
    },
    words_only: "对话已删除。以下话语作为依据保留。",
};

/// Legal holds.
pub const HOLDS: Holds = Holds {
    title: "法律保留",
    lead: "处于保留之下的内容既不会被抹除，也不会因保存期满而删除。",
    none: "没有法律保留",
    none_how: "在用户页面上设置。",
    section: "法律保留",
    section_none: "没有设置保留。",
    place: "设置保留",
    place_agent: "保留一个智能体的所有人",
    reason: "原因",
    reason_how: "并注明依据何人的指示。想要抹除的人会看到。",
    until: "期限",
    until_how: "到这一天结束为止。留空：直到解除。",
    everywhere: "在所有智能体中",
    everywhere_how: "保留使用此名称的人，包括尚未接触过此人的智能体。",
    all: "所有法律保留",
    what: "对象",
    placed: "设置",
    standing: "状态",
    release: "解除",
    release_how: "解除后可以抹除此人，保存期限也重新生效。",
    release_sure: "解除保留",
    of_agent: |agent| format!("{agent}的所有人"),
    of_name: |name| format!("{name}（所有智能体）"),
    keeps: "直到解除",
    keeps_until: |when| format!("至{when}"),
    over: |when| format!("已于{when}到期"),
    released: |who, when| format!("{who}于{when}解除"),
    flash_placed: "已设置法律保留。",
    flash_released: "已解除法律保留。",
};

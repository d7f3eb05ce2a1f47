//! Chinese: ids that are one person.

use domain::join::JoinState;

use super::super::*;

/// Ids that are one person.
pub const JOINS: Joins = Joins {
    section: "此人的其他 ID",
    lead: "两个 ID 合并期间，无论问到哪一个，智能体得到的都是两者的内容。什么都不会被移动：每个 ID 保留在其名下说过的内容，拆分后原样恢复。",
    none: "没有已知的其他 ID。",
    title: "提议的合并",
    waits_lead: "智能体认为它的两个 ID 是同一个人。合并后，访客 ID 的内容会提供给以另一 ID 登录的人，反之亦然：请只合并确定无疑的。",
    waits_none: "没有等待中的合并",
    waits_none_how: "智能体通过 API 提议。您也可以在用户页面上自行合并两个 ID。",
    state: |state| match state {
        JoinState::Proposed => "提议中",
        JoinState::Joined => "已合并",
        JoinState::Split => "已拆分",
        JoinState::Declined => "已拒绝",
    },
    guest: "访客 ID",
    main: "登录 ID",
    this_id: "此 ID",
    made: |who, when| format!("{who}，{when}"),
    decided: |who, when| format!("最后决定：{who}，{when}"),
    why_proposed: "提议理由",
    why_joined: "合并理由",
    why_ended: "结束理由",
    join: "合并",
    decline: "拒绝",
    split: "拆分",
    split_how: "此后每个 ID 只提供其自身的内容。",
    undo: "撤回",
    reason: "理由",
    reason_how: "您如何得知。它与决定一起保存。",
    add: "与另一个 ID 合并",
    add_how: "两个 ID 都必须是此智能体已知的。一个访客 ID 只属于一个登录 ID，因此以哪个为先始终明确。",
    other: "另一个 ID",
    other_how: "智能体对其的称呼，或 usr_…",
    role: "哪一个是访客 ID",
    other_is_guest: "另一个；此页面是登录 ID 的",
    this_is_guest: "此页面的 ID；另一个是登录 ID",
    submit: "合并两者",
    conflicts: "两者互相矛盾",
    conflicts_how: "智能体得到的是排在前面的那一条。若要另作决定，请停用或更改其中一条。",
    told: "提供",
    silent: "不提供",
    elsewhere: "此人的另一个 ID 说",
    erased_with: "一并抹除",
    stays: |who| {
        format!("这是 {who} 的访客 ID。那个 ID 会保留；在其页面上抹除它时，此 ID 会一并抹除。")
    },
    overview: |_| "项提议的合并".into(),
    flash_joined: "已合并。无论哪个 ID，智能体得到的都是两者的内容。",
    flash_split: "已拆分。每个 ID 恢复其原有内容。",
    flash_declined: "已拒绝",
    flash_waits: "重新等待决定",
    flash_moved: "页面显示之后已另有决定。请再看一遍。",
};

//! Simplified Chinese: the audit chains.

use domain::audit::FaultKind;

use super::super::*;

/// The audit chains.
pub const AUDIT: Audit = Audit {
    title: "审计",
    lead: "发生过的一切，记录在无法暗中篡改的链上：每个智能体一条，另有一条记录智能体、人员和登录。",
    events: "发生的事",
    chain: "链",
    any_chain: "所有链",
    system: "system：智能体、人员、登录",
    user: "用户ID",
    any_event: "所有类型",
    actor: "执行者",
    any_actor: "所有执行者",
    actors: |word| match word {
        "person" => "人员",
        "key" => "智能体（密钥）",
        "policy" => "策略",
        _ => "Keepsake",
    },
    from: "从",
    until: "到",
    show: "显示",
    at: "时间",
    number: "链与编号",
    what: "内容",
    who: "执行者",
    about: "对象",
    empty: "尚未发生任何事",
    empty_how: "每次对话、决定、记忆以及向智能体提供上下文，都会在这里留下一行。",
    not_found: "没有符合条件的记录",
    not_found_how: "请放宽时间或减少筛选条件。用户可按智能体发送的ID或 usr_… 查找。",
    verification: "校验",
    verification_how: "逐条读取所有链上的记录，并与已签署的内容比对。每晚执行一次。",
    verification_none: "尚未校验过。",
    read: |events, checkpoints| {
        format!(
            "已读取{}条记录，并与{}个检查点比对。",
            grouped(events),
            grouped(checkpoints)
        )
    },
    well: "所有链均完好。",
    found: |n| format!("发现{}处异常。", grouped(n)),
    place: |chain, seq| match seq {
        0 => chain.to_owned(),
        seq => format!("{chain}第{seq}条"),
    },
    fault: |kind| match kind {
        FaultKind::Gap => "编号缺失：有记录被取走",
        FaultKind::Link => "与前一条记录不相连：有记录被插入、取走或移动",
        FaultKind::Hash => "哈希与内容不符：已被篡改",
        FaultKind::Genesis => "链不是从第一条记录开始",
        FaultKind::Column => "列的值与记录正文不一致",
        FaultKind::Truncated => "链提前结束：尾部被截去",
        FaultKind::Body => "无法读取",
        FaultKind::Fork => "与签署过的链不同：在此之前的某处起被改写",
        FaultKind::Signature => "检查点与本系统签署的不一致",
        FaultKind::Missing => "签署过的整条链已不存在",
    },
    fault_checkpoint: "此处签署的检查点已从数据库中消失",
    more_faults: |n| format!("另有{}处", grouped(n)),
    verify: "立即校验",
    checkpoints: "检查点",
    checkpoints_how: "对所有链当前状态的签名。有事发生的每个小时生成一次，日后可证明此前的记录未被改动。",
    checkpoints_none: "尚无签名。第一个检查点将在一小时内生成，或用 `keepsake audit checkpoint` 生成。",
    folder: |folder| format!("检查点也保存在数据库之外：{folder}。"),
    signed: "签署时间",
    size: "system的记录数",
    agents: "智能体数",
    root: "system的根",
    key: "密钥",
    fingerprint: "公钥指纹",
    key_how: "请另行抄存。若有人改写历史并重新签署，就必须使用另一把密钥，指纹也会不同。",
    check: "如何核对",
    check_steps: [
        "用 `keepsake audit key` 显示公钥及其指纹，与抄存的比对。",
        "用 `keepsake audit verify` 读取所有链并与检查点比对；若有异常，退出码为1。",
        "用 `keepsake audit verify --checkpoints 文件夹` 与另处保存的副本比对。",
    ],
    alarm: |n| format!("审计链存在异常：最近一次校验发现{}处。", grouped(n)),
    alarm_see: "查看结果",
    flash_well: |n| format!("所有链均完好，已读取{}条记录。", grouped(n)),
    flash_found: |n| format!("审计链存在{}处异常。", grouped(n)),
};

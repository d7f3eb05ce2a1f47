//! Simplified Chinese: what an agent would be told, how people are found, and what to do where a page cannot go on.

use domain::render::{CutFor, Layout, Why};

use super::super::*;

/// The context preview.
pub const PREVIEW: Preview = Preview {
    title: "智能体会得到什么",
    lead: "智能体此刻会得到的原文，以及每条记忆入选或落选的原因。查看不会留下记录。",
    see: "查看智能体会得到什么",
    see_how: "查看智能体得到的文本，以及每条记忆入选或落选的原因。",
    query: "智能体所说的当前任务",
    tokens: "最多令牌数",
    layout: "版式",
    layouts: |layout| match layout {
        Layout::ByKind => "按类别",
        Layout::PriorKnowledge => "已有知识",
        Layout::Profile => "资料",
    },
    show: "显示",
    used: |used, budget| format!("约{used} / {budget}个令牌"),
    block: "文本",
    block_empty: "没有内容：智能体得到的是空文本。",
    reason: |code| match code {
        "serving_off" => "此智能体已停止提供记忆。",
        "opted_out" => "此人已选择退出。",
        _ => "不提供任何内容。",
    },
    told: "告知",
    left_out: "未告知",
    none: "没有。",
    memory: "记忆",
    because: "原因",
    score: "排序分",
    sessions: "告知过的会话",
    session: "会话",
    sessions_none: "还没有会话得知它。",
    when: "时间",
    why: |why| match why {
        Why::Always => "此类别每次都包含",
        Why::Relevant => "与任务有关",
        Why::Ranked => "未指明任务，且排序靠前",
    },
    cut: |cut| match cut {
        CutFor::Budget => "放不下了",
        CutFor::Cap => "此类别已达上限",
        CutFor::Irrelevant => "与任务无关",
        CutFor::OtherId => "此人的另一个 ID 已有说法",
        CutFor::Grace => "刚刚批准，仍在宽限期内",
    },
};

/// Finding people.
pub const SEARCH: Search = Search {
    part: "用户标识，或其中一部分",
    exact_why: "选择一个智能体后，可以按标识的一部分查找。标识加密存储，数据库只比较完整标识的带密钥哈希，所以跨智能体只能精确查找。",
    cut: |n| format!("只查看了最新的{}位用户。", grouped(n)),
};

/// What to do where a page cannot go on.
pub const FAILURES: Failures = Failures {
    needs: |roles| format!("此操作需要以下角色：{roles}"),
    ask: |people| format!("可以授予角色的人：{people}"),
    what_to_do: |status| match status {
        403 => "在此之前，您可以继续使用现有角色能做的功能。",
        404 => "请检查地址，或从概览中查找。",
        409 | 412 => "请返回并重新载入页面，查看现在的内容。",
        413 => "请减少一次发送的内容。",
        422 | 400 => "请返回并重新提交表单。",
        429 => "内容没有丢失：请一分钟后返回重新提交。",
        503 => "数据库没有响应。请一分钟后再试；如果一直如此，请告知Keepsake的维护者。",
        _ => "请再试一次。如果一直如此，请把下面的编号告诉维护者，凭它可以找到对应的日志。",
    },
    extraction: |code| match code {
        "timeout" | "unreachable" | "provider_error" => {
            "模型提供方没有响应。系统会自动重试；会话在等待，不会丢失。若持续如此，请检查提供方状态和KEEPSAKE_EXTRACTOR_BASE_URL。"
        }
        "rate_limited" => "提供方限制了速度，稍后会自动重试。",
        "no_key" => "没有配置此提供方的密钥。请设置KEEPSAKE_EXTRACTOR_API_KEY，重启后重试。",
        "key_refused" => "提供方拒绝了密钥。请设置KEEPSAKE_EXTRACTOR_API_KEY，重启后重试。",
        "unknown_model" | "bad_address" | "not_supported" => {
            "模型或其地址未知。请用keepsake doctor检查KEEPSAKE_EXTRACTOR_MODEL，然后重试。"
        }
        "too_long" | "context_length" => "会话超过了模型的长度上限。请换用窗口更大的模型。",
        _ => "回答无法使用。如果下面保留了提取器的原始回答，请查看后重试。",
    },
    extraction_stuck: "会话没有被读取。",
    extraction_stuck_how: "已发送的内容都保留着，智能体仍会得到已批准的内容。请在“任务”中查看原因，处理后重试。",
    dropped_why: |dropped| match dropped {
        Dropped::NoEvidence => "每条陈述都须有会话中的原话支持，这一条没有。",
        Dropped::Served => "这些话来自Keepsake提供的内容，不是新信息。",
        Dropped::MachineMade => "这些话不是人说的。",
        Dropped::Secret => "其中有不得保存的密码、密钥或号码。除会话本身外，任何地方都不保留。",
        Dropped::KindNotInUse => "智能体未使用此类别，可在其页面开启。",
        Dropped::BadMetadata => "重试后元数据仍不符合模式。",
        Dropped::TooLong => "一条记忆最多2,000个字符。",
        Dropped::BelowFloor => "提取器的把握低于智能体的要求。",
        Dropped::OverLimit => "这一段的候选已达上限。",
        Dropped::AskedNotToRemember => "用户要求不要记住。",
    },
    session_over: "您的会话已结束。输入的内容已保留：登录后会再次显示。",
    kept: "您已重新登录",
    kept_lead: "这是会话结束时您正在提交的内容，尚未作任何更改。",
    kept_send: "现在提交",
    kept_gone: "没有保留的内容",
    kept_gone_how: "提交的内容只保留十分钟，或者已经提交过了。",
};

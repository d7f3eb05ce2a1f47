//! Simplified Chinese: the keys, the palette, the live desk.

use super::super::*;
use crate::keys::{Action, Goal, Wrong};

/// The keys.
pub const KEYS: Keys = Keys {
    action,
    arrived: |n| format!("{n}条新的"),
    over: "会话已结束。您输入的内容会保留在此页：请在新标签页中重新登录，然后继续。",
    over_link: "登录",
    skip: "跳过",
    diff_then: "与提出时的内容比较",
    palette: "前往或执行",
    palette_how: "输入文字即可搜索，用方向键选择，按Enter执行。",
    palette_none: "没有符合的项目",
    palette_actions: "操作",
    palette_pages: "页面",
    palette_agents: "智能体",
    palette_views: "已保存的视图",
    change: "更改快捷键",
    lead: "您自己的审核快捷键，在任何浏览器登录后都有效。",
    on: "使用快捷键",
    on_how: "关闭后，只有带Ctrl的快捷键仍然有效。您的设置会保留。",
    write_how: "按实际按键填写：a、?、Shift+X、Ctrl+Enter、ArrowDown；先后按两个键写作：g o。留空表示不设快捷键。",
    save: "保存快捷键",
    reset: "恢复默认快捷键",
    reset_how: "您自己的设置将被清除。",
    reset_done: "快捷键已恢复默认。",
    wrong: |wrong| match wrong {
        Wrong::Shape => "无法识别为按键。".to_owned(),
        Wrong::Reserved => "此键由浏览器占用或用于删除，请另选。".to_owned(),
        Wrong::Taken(other) => format!("此键已被占用：{}。", action(other)),
        Wrong::NeedsCtrl => "此操作在输入时也有效，因此需要搭配Ctrl。".to_owned(),
    },
};

fn action(action: Action) -> &'static str {
    match action {
        Action::Next => "下一条候选",
        Action::Previous => "上一条候选",
        Action::Open => "进入候选",
        Action::Approve => "批准",
        Action::Edit => "编辑",
        Action::Save => "编辑时保存并批准",
        Action::Merge => "合并到已保存的记忆",
        Action::Reject => "拒绝……",
        Action::Reason(1) => "……不持久",
        Action::Reason(2) => "……错误",
        Action::Reason(3) => "……关于他人",
        Action::Reason(4) => "……敏感",
        Action::Reason(5) => "……重复",
        Action::Reason(6) => "……指令",
        Action::Reason(_) => "……其他",
        Action::Skip => "跳过，不作决定",
        Action::Claim => "认领五分钟",
        Action::Select => "选中或取消选中",
        Action::SelectRange => "从上次选中处选到这里",
        Action::Undo => "撤销",
        Action::DiffBase => "切换比较对象（提出时／现在）",
        Action::Evidence => "前往依据",
        Action::Search => "搜索",
        Action::Filter => "筛选",
        Action::ShowNew => "显示新到的",
        Action::Go(Goal::Overview) => "前往概览",
        Action::Go(Goal::Queue) => "前往审核队列",
        Action::Go(Goal::Users) => "前往用户",
        Action::Go(Goal::Memories) => "前往记忆",
        Action::Go(Goal::Agents) => "前往智能体",
        Action::Help => "本帮助",
        Action::Palette => "搜索页面和操作",
    }
}

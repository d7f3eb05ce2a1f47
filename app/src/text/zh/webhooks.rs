//! Simplified Chinese: webhooks.

use domain::webhook::{DeliveryState, WebhookState};

use super::super::*;

/// Webhooks.
pub const WEBHOOKS: Webhooks = Webhooks {
    title: "Webhook",
    one: "Webhook",
    lead: "把发生的事情按 Standard Webhooks 签名后通知到指定地址。只发送 ID，绝不发送任何人的话。",
    none: "没有 Webhook",
    none_how: "被召回的记忆会立即停止提供。有了 Webhook，曾被告知的智能体也会得到通知。",
    alarm: |n| format!("有 {} 个 Webhook 因长期无法送达而被停用。", grouped(n)),
    alarm_see: "查看 Webhook",
    make: "新建 Webhook",
    all_agents: "所有智能体及本系统",
    url: "地址",
    url_how: "以 https:// 开头。私有地址只限本系统允许的。",
    events: "事件",
    events_how: "名称与审计一致。新建之前发生的事情不会发送。",
    all_of: |group| format!("{group}.* 的全部"),
    create: "新建 Webhook",
    waiting: "等待中",
    arrived: "最近送达",
    last_failure: "最近一次失败",
    never: "尚无",
    made: "创建",
    rotated: "密钥更新",
    state: |state| match state {
        WebhookState::Enabled => "开启",
        WebhookState::Disabled => "关闭",
        WebhookState::Failing => "已停用：无法送达",
        WebhookState::Gone => "已停用：对方已终止",
        WebhookState::Unreadable => "已停用：无法读取",
    },
    state_how: |state| match state {
        WebhookState::Enabled => "正在通知发生的事情。",
        WebhookState::Disabled => "已被关闭。其间发生的事情会在重新开启后发送。",
        WebhookState::Failing => {
            "某个事件在三天内尝试了十次，其间没有任何内容送达。请修复接收方，发送测试，然后重新开启：等待中的内容会被发送。"
        }
        WebhookState::Gone => {
            "接收方答复 410 Gone，表示不再接收通知。请删除该 Webhook，或更换地址后重新开启。"
        }
        WebhookState::Unreadable => "其地址和密钥已无法读取。请删除后重新建立。",
    },
    unreadable: "无法读取",
    secret: "密钥（仅显示这一次）",
    secret_how: "请交给接收方，用于核对签名。",
    overlaps: |until| format!("之前的密钥在 {until} 之前也会一同签名。"),
    change: "地址与事件",
    save: "保存",
    rotate: "新密钥",
    rotate_how: "24 小时内两个密钥都会签名，接收方可以从容切换而不丢失任何内容。",
    rotate_sure: "生成新密钥",
    test: "立即发送测试",
    test_how: "发送一次 webhook.test，无论是否开启。",
    test_failed: |why| format!("测试未送达：{why}"),
    enable: "开启",
    disable: "关闭",
    disable_how: "其间发生的事情会在重新开启后发送。",
    remove: "删除",
    remove_how: "不再向该地址发送任何内容，包括等待中的。审计会保留它曾经存在的记录。",
    remove_sure: "删除该 Webhook",
    deliveries: "发送记录",
    deliveries_none: "尚未发送任何内容。",
    event: "事件",
    number: "审计编号",
    outcome: "结果",
    tries: "尝试次数",
    took: "耗时",
    tried: "最近尝试",
    delivery: |state| match state {
        DeliveryState::Waiting => "等待中",
        DeliveryState::Delivered => "已送达",
        DeliveryState::Failed => "已放弃",
    },
    answered: |status| format!("答复为 {status}。"),
    again: |when| format!("将于 {when} 重试"),
    milliseconds: |n| format!("{} 毫秒", grouped(n)),
    resend: "重新发送",
    flash_enabled: "已开启，其间发生的事情现在发送。",
    flash_disabled: "已关闭。",
    flash_removed: "Webhook 已删除。",
    flash_resent: "正在重新发送。",
    flash_arrived: "测试已送达。",
};

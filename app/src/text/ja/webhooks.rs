//! Japanese: webhooks.

use domain::webhook::{DeliveryState, WebhookState};

use super::super::*;

/// Webhooks.
pub const WEBHOOKS: Webhooks = Webhooks {
    title: "Webhook",
    one: "Webhook",
    lead: "起きたことを、Standard Webhooks の署名を付けて、指定のアドレスへ知らせます。送るのは ID だけで、人の言葉は送りません。",
    none: "Webhook はありません",
    none_how: "リコールしたメモリーはすぐに提供されなくなります。Webhook があれば、それを伝えられたエージェントにも知らせが届きます。",
    alarm: |n| {
        format!(
            "何も届かなくなったため、Webhook {} 件を停止しました。",
            grouped(n)
        )
    },
    alarm_see: "Webhook を見る",
    make: "Webhook を作る",
    all_agents: "すべてのエージェントとこの環境",
    url: "アドレス",
    url_how: "https:// で始まります。プライベートアドレスは、この環境で許可されたものだけです。",
    events: "イベント",
    events_how: "名前は監査と同じです。作る前に起きたことは送りません。",
    all_of: |group| format!("{group}.* のすべて"),
    create: "Webhook を作る",
    waiting: "待ち",
    arrived: "最後に届いた時刻",
    last_failure: "最後の失敗",
    never: "まだなし",
    made: "作成",
    rotated: "シークレットの更新",
    state: |state| match state {
        WebhookState::Enabled => "オン",
        WebhookState::Disabled => "オフ",
        WebhookState::Failing => "停止：届かない",
        WebhookState::Gone => "停止：受信先が終了",
        WebhookState::Unreadable => "停止：読み取り不可",
    },
    state_how: |state| match state {
        WebhookState::Enabled => "起きたことを知らせています。",
        WebhookState::Disabled => {
            "オフにされています。その間に起きたことは、オンに戻すと送られます。"
        }
        WebhookState::Failing => {
            "一つのイベントを三日間で十回試しましたが、その間に何も届きませんでした。受信先を直し、テストを送ってから、オンに戻してください。待っているものが送られます。"
        }
        WebhookState::Gone => {
            "受信先が 410 Gone と応答しました。もう知らせを受け取らないという意味です。Webhook を削除するか、別のアドレスにしてオンに戻してください。"
        }
        WebhookState::Unreadable => {
            "アドレスとシークレットを読み取れません。削除して作り直してください。"
        }
    },
    unreadable: "読み取れません",
    secret: "シークレット（表示は今回だけ）",
    secret_how: "受信側に渡してください。署名の確認に使います。",
    overlaps: |until| format!("前のシークレットも {until} まで署名に使われます。"),
    change: "アドレスとイベント",
    save: "保存",
    rotate: "新しいシークレット",
    rotate_how: "24 時間は両方のシークレットで署名するので、受信側は何も失わずに切り替えられます。",
    rotate_sure: "シークレットを作り直す",
    test: "テストを送る",
    test_how: "webhook.test を一度だけ送ります。オフのときも送れます。",
    test_failed: |why| format!("テストは届きませんでした：{why}"),
    enable: "オンにする",
    disable: "オフにする",
    disable_how: "その間に起きたことは、オンに戻すと送られます。",
    remove: "削除",
    remove_how: "待っているものも含め、何も送られなくなります。存在したことは監査に残ります。",
    remove_sure: "Webhook を削除する",
    deliveries: "送信の記録",
    deliveries_none: "まだ何も送っていません。",
    event: "イベント",
    number: "監査の番号",
    outcome: "結果",
    tries: "試行",
    took: "所要時間",
    tried: "最後の試行",
    delivery: |state| match state {
        DeliveryState::Waiting => "待ち",
        DeliveryState::Delivered => "届いた",
        DeliveryState::Failed => "断念",
    },
    answered: |status| format!("応答は {status} でした。"),
    again: |when| format!("再試行：{when}"),
    milliseconds: |n| format!("{} ms", grouped(n)),
    resend: "もう一度送る",
    flash_enabled: "オンにしました。その間に起きたことを送ります。",
    flash_disabled: "オフにしました。",
    flash_removed: "Webhook を削除しました。",
    flash_resent: "もう一度送ります。",
    flash_arrived: "テストは届きました。",
};

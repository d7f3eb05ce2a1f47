//! Japanese: the digest.

use super::super::*;

/// The digest.
pub const DIGEST: Digest = Digest {
    title: "ダイジェスト",
    lead: "審査待ちの状況を、決めた時刻に、いつもの場所へお知らせします。何も待っていないときは送りません。",
    holds: "含まれるのは数とリンクだけです。担当するエージェントと言語の待ち件数、最も古い時刻、期限切れが近い件数、失敗した件数。メモリーの文面や人の名前は含まれません。",
    on: "ダイジェストを受け取る",
    on_how: "オフの間は送りません。下の設定は残ります。",
    when: "いつ",
    hour: "時刻",
    zone: "タイムゾーン",
    days: "曜日",
    days_how: "選ばなかった曜日は休みです。休み前の最後のダイジェストで、休み中に期限切れになるものを警告します。",
    weekdays: [
        "月曜日",
        "火曜日",
        "水曜日",
        "木曜日",
        "金曜日",
        "土曜日",
        "日曜日",
    ],
    to: "送り先",
    by: "方法",
    by_webhook: "チャットの Webhook",
    by_mail: |address| format!("メール（{address}）"),
    mail_off: "この環境ではメールを送れません。管理者が KEEPSAKE_SMTP_URL と KEEPSAKE_MAIL_FROM を設定します。",
    shape: "チャット",
    url: "Webhook のアドレス",
    url_how: "https:// で始まります。知っている人は誰でも投稿できるため、他人に見せないでください。",
    save: "保存",
    test: "テストを送る",
    test_how: "最後に保存した送り先へ、現在の数を送ります。",
    state: "前回と次回",
    next: "次回",
    sent: "前回の送信",
    never: "なし",
    failed: |why| format!("前回の送信に失敗しました：{why}"),
    why: |word| {
        match word {
        "not_resolved" => "アドレスの名前が見つかりません。".to_owned(),
        "private_address" => "アドレスがプライベートネットワーク内にあり、許可されていません（KEEPSAKE_ALLOWED_PRIVATE_ADDRESSES）。".to_owned(),
        "https" | "shape" => "https のアドレスではありません。".to_owned(),
        "timeout" => "時間内に応答がありませんでした。".to_owned(),
        "unreachable" => "応答がありませんでした。".to_owned(),
        "mail_off" => "この環境ではメールを送れません。".to_owned(),
        "mail_refused" => "メールサーバーに拒否されました。".to_owned(),
        "unreadable" => "設定を読み取れません。設定し直してください。".to_owned(),
        "internal" | "unavailable" => "Keepsakeの内部で問題が起きました。詳しくはログを見てください。".to_owned(),
        other => match other.strip_prefix("answered_") {
            Some(status) => format!("応答は {status} でした。"),
            None => other.to_owned(),
        },
    }
    },
    again: "自動で再試行します。今動くかどうかはテストで確認できます。",
    flash_saved: "保存しました。",
    flash_sent: "テストを送りました。",
};

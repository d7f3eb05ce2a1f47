//! Japanese: exports.

use domain::export::ExportState;

use super::super::*;

/// Exports.
pub const EXPORTS: Exports = Exports {
    title: "エクスポート",
    lead: "エージェント、ユーザー、または期間についてのすべてを一つのファイルにまとめます。Keepsake がなくても誰でも検証できます。",
    ask: "エクスポートを依頼",
    ask_how: "空欄の条件は絞り込みません。",
    all_agents: "すべてのエージェント",
    user: "ユーザー",
    user_how: "エージェントでの呼び名、または usr_ で始まる ID。",
    from: "開始日",
    to: "終了日",
    to_how: "この日も含みます。",
    bom: "Excel 用の表",
    bom_how: "events.csv の先頭に BOM を付けます。付けないと Excel で日本語や中国語が文字化けします。",
    submit: "エクスポートを作成",
    another: "もう一つ依頼",
    list: "これまでのエクスポート",
    none: "エクスポートはまだありません",
    none_how: "上のフォームから依頼してください。バックグラウンドで作成され、完成後 1 週間はここからダウンロードできます。",
    what: "内容",
    asked: "依頼",
    standing: "状態",
    file: "ファイル",
    everything: "すべて",
    of_user: |who| format!("ユーザー {who}"),
    since: |at| format!("{at} から"),
    until: |at| format!("{at} より前"),
    state: |state| match state {
        ExportState::Queued => "順番待ち",
        ExportState::Running => "作成中",
        ExportState::Done => "完成",
        ExportState::Failed => "作成されませんでした",
        ExportState::Expired => "ファイル削除済み",
    },
    error: |code| match code {
        "stopped" => "中止されました。",
        "user_unknown" => "その名前のユーザーは存在しません。消去された可能性があります。",
        "deactivated" => "依頼した人は無効化されています。",
        "forbidden" => "依頼した人には、このエクスポートの権限がもうありません。",
        "key_ended" => "依頼に使われたキーは失効しています。",
        "storage" => "ファイルを書き込めませんでした。サーバーのディスクの空きを確認してください。",
        "no_folder" => "このインストールにはエクスポート用のフォルダーがありません。",
        "checkpoint" => "監査チェーンに署名できませんでした。監査ページで検証してください。",
        "chain_damaged" => {
            "監査チェーンが壊れているため、内容を証明できません。監査ページで検証してください。"
        }
        "crashed" => "作成の途中でプロセスの終了が繰り返されました。",
        _ => "Keepsake の内部で失敗しました。理由はログにあります。",
    },
    progress: |done, total| match total {
        0 => "開始しています".to_owned(),
        total => format!("約 {} 行中 {} 行", grouped(total), grouped(done)),
    },
    look_again: "もう一度見る",
    refreshes: "このページは数秒ごとに自動で更新されます。",
    download: "ダウンロード",
    bytes: |n| match n {
        0..10_000 => format!("{} バイト", grouped(n)),
        10_000..10_000_000 => format!("{} kB", grouped(n / 1000)),
        n => format!("{} MB", grouped(n / 1_000_000)),
    },
    sum: "SHA-256",
    expires: |when| format!("{when}に削除"),
    fetched: |n| match n {
        0 => "未ダウンロード".to_owned(),
        n => format!("ダウンロード {} 回", grouped(n)),
    },
    stop: "中止",
    remove: "削除",
    check: "検証方法",
    check_how: "どちらのコマンドでも、エクスポートのすべてのファイル・署名・証明・本文を、どのマシンでもネットワークなしで検証できます。手作業での手順は各エクスポートの VERIFY.md にあります。",
    key: "公開鍵",
    fingerprint: "フィンガープリント",
    key_how: "鍵は検証する人に渡し、フィンガープリントは別の経路で伝えて、照合できるようにしてください。",
    flash_asked: "エクスポートを作成しています。このページを離れてもかまいません。",
    flash_removed: "削除しました。",
};

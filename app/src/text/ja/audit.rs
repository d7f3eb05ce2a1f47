//! Japanese: the audit chains.

use domain::audit::FaultKind;

use super::super::*;

/// The audit chains.
pub const AUDIT: Audit = Audit {
    title: "監査",
    lead: "起きたことのすべてです。気づかれずに書き換えることのできない連鎖として、エージェントごとに1本、エージェント・担当者・サインインについて1本を記録します。",
    events: "起きたこと",
    chain: "連鎖",
    any_chain: "すべての連鎖",
    system: "system：エージェント、担当者、サインイン",
    user: "ユーザーID",
    any_event: "すべての種類",
    actor: "行った主体",
    any_actor: "すべての主体",
    actors: |word| match word {
        "person" => "担当者",
        "key" => "エージェント（キー）",
        "policy" => "ポリシー",
        _ => "Keepsake",
    },
    from: "開始日",
    until: "終了日",
    show: "表示",
    at: "日時",
    number: "連鎖と番号",
    what: "内容",
    who: "主体",
    about: "対象",
    empty: "まだ何も起きていません",
    empty_how: "会話、判断、メモリー、エージェントへの提供のたびに、ここに1行が加わります。",
    not_found: "該当する記録はありません",
    not_found_how: "期間を広げるか、条件を減らしてください。ユーザーは、エージェントが送るIDか usr_… で探せます。",
    verification: "検証",
    verification_how: "すべての連鎖の記録を1件ずつ読み、署名された内容と照合します。毎晩実行されます。",
    verification_none: "まだ検証されていません。",
    read: |events, checkpoints| {
        format!(
            "{}件の記録を読み、{}件のチェックポイントと照合しました。",
            grouped(events),
            grouped(checkpoints)
        )
    },
    well: "すべての連鎖に問題はありません。",
    found: |n| format!("{}件の異常が見つかりました。", grouped(n)),
    place: |chain, seq| match seq {
        0 => chain.to_owned(),
        seq => format!("{chain}の{seq}番"),
    },
    fault: |kind| match kind {
        FaultKind::Gap => "番号が欠けています。記録が取り除かれました",
        FaultKind::Link => "直前の記録とつながっていません。記録が挿入、除去、または移動されました",
        FaultKind::Hash => "ハッシュが内容と一致しません。書き換えられています",
        FaultKind::Genesis => "連鎖が最初の記録から始まっていません",
        FaultKind::Column => "列の値が記録の本文と異なります",
        FaultKind::Truncated => "連鎖が途中で終わっています。末尾が切り取られました",
        FaultKind::Body => "読み取れません",
        FaultKind::Fork => "署名された連鎖と異なります。これより前のどこかから書き換えられています",
        FaultKind::Signature => "チェックポイントが、このKeepsakeの署名したものと異なります",
        FaultKind::Missing => "署名された連鎖が丸ごと失われています",
    },
    fault_checkpoint: "ここで署名されたチェックポイントがデータベースから失われています",
    more_faults: |n| format!("ほか{}件", grouped(n)),
    verify: "今すぐ検証",
    checkpoints: "チェックポイント",
    checkpoints_how: "すべての連鎖の状態に対する署名です。何かが起きた時間ごとに作られ、それ以前が書き換えられていないことを後から証明します。",
    checkpoints_none: "まだ署名はありません。最初のチェックポイントは1時間以内に、または `keepsake audit checkpoint` で作られます。",
    folder: |folder| format!("データベースの外の {folder} にも保存されています。"),
    signed: "署名日時",
    size: "systemの記録数",
    agents: "エージェント数",
    root: "systemのルート",
    key: "鍵",
    fingerprint: "公開鍵のフィンガープリント",
    key_how: "別の場所に控えておいてください。履歴を書き換えて署名し直すには別の鍵が必要なため、フィンガープリントが変わります。",
    check: "確かめ方",
    check_steps: [
        "`keepsake audit key` で公開鍵とフィンガープリントを表示し、控えたものと比べます。",
        "`keepsake audit verify` ですべての連鎖を読み、チェックポイントと照合します。異常があれば終了コードは1です。",
        "`keepsake audit verify --checkpoints フォルダー` で、別の場所に保管した写しと照合します。",
    ],
    alarm: |n| {
        format!(
            "監査記録に異常があります。前回の検証で{}件見つかりました。",
            grouped(n)
        )
    },
    alarm_see: "結果を見る",
    flash_well: |n| format!("すべての連鎖に問題はありません（記録{}件）。", grouped(n)),
    flash_found: |n| format!("監査記録に{}件の異常が見つかりました。", grouped(n)),
};

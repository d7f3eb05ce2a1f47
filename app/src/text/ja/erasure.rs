//! Japanese: erasing a person, legal holds, retention.

use domain::erasure::ErasureReason;

use super::super::*;

/// Erasing a person.
pub const ERASURE: Erasure = Erasure {
    title: "消去",
    lead: "このユーザーに関するすべてが消え、元に戻すことはできません。監査記録は残り、引き続き検証できますが、名前も言葉も含みません。実行中のジョブ、再送のために保存された応答、このユーザーを含むエクスポートのファイルも消えます。",
    count: |name| match name {
        "conversations" => "会話",
        "messages" => "メッセージ",
        "extractions" => "抽出",
        "candidates" => "候補",
        "decisions" => "判断",
        "memories" => "メモリー",
        "revisions" => "版",
        "servings" => "提供の記録",
        "jobs" => "ジョブ",
        "exports" => "エクスポートのファイル",
        _ => "その他",
    },
    why: "理由",
    reason: |reason| match reason {
        ErasureReason::AskedFor => "本人が求めた",
        ErasureReason::ConsentWithdrawn => "本人が同意を撤回した",
        ErasureReason::Objected => "本人が異議を申し立てた",
        ErasureReason::NoLongerNeeded => "もう必要がない",
        ErasureReason::Unlawful => "保存すべきではなかった",
        ErasureReason::Other => "その他（別の場所に記録）",
        ErasureReason::Restored => "復元されたバックアップに含まれていた",
    },
    confirm: "名前",
    confirm_how: |name| format!("確認のため {name} と入力してください。"),
    button: "このユーザーを消去",
    kept: "リーガルホールドの対象です。解除されるまで消去できません。",
    flash_done: "消去しました。元に戻すことはできません。",
    flash_changed: "画面を開いた後にこのユーザーについて動きがありました。件数を確認してから消去してください。",
    flash_held: |who, why| format!("{who}によるリーガルホールドの対象です：{why}"),
    gone: "消去済み",
    gone_how: "知られていたこと、提案、判断、発言は消え、それらを封じていた鍵も破棄されました。起きたことの事実だけが監査記録に残ります。",
    gone_at: "消去日時",
    gone_by: "実行者",
    known_since: "初出",
    audit: "監査記録に残るもの",
    conversation_removed: |when| {
        format!("この会話の言葉は保存期間の経過により{when}に削除されました。")
    },
    candidate_removed: |when| {
        format!(
            "この候補は保存期間の経過により{when}に削除されました。却下されたもので、メモリーにはなっていません。"
        )
    },
    words_only: "会話は削除されました。根拠となる次の言葉だけが残されています。",
};

/// Legal holds.
pub const HOLDS: Holds = Holds {
    title: "リーガルホールド",
    lead: "対象となるものは、消去も保存期間による削除もされません。",
    none: "リーガルホールドはありません",
    none_how: "ユーザーのページで設定します。",
    section: "リーガルホールド",
    section_none: "設定されていません。",
    place: "設定する",
    place_agent: "エージェントの全員を対象にする",
    reason: "理由",
    reason_how: "誰の指示かも書いてください。消去しようとした人に表示されます。",
    until: "期限",
    until_how: "この日の終わりまで。空欄なら解除されるまで。",
    everywhere: "すべてのエージェントで",
    everywhere_how: "この名前のユーザーを、まだ知らないエージェントも含めて対象にします。",
    all: "すべてのリーガルホールド",
    what: "対象",
    placed: "設定",
    standing: "状態",
    release: "解除",
    release_how: "解除すると消去できるようになり、保存期間も再び適用されます。",
    release_sure: "解除する",
    of_agent: |agent| format!("{agent}の全員"),
    of_name: |name| format!("{name}（すべてのエージェント）"),
    keeps: "解除されるまで",
    keeps_until: |when| format!("{when}まで"),
    over: |when| format!("{when}に終了"),
    released: |who, when| format!("{when}に{who}が解除"),
    flash_placed: "リーガルホールドを設定しました。",
    flash_released: "リーガルホールドを解除しました。",
};

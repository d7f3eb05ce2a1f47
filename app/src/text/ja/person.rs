//! Japanese: what an agent would be told, how people are found, and what to do where a page cannot go on.

use domain::render::{CutFor, Layout, Why};

use super::super::*;

/// The context preview.
pub const PREVIEW: Preview = Preview {
    title: "エージェントに渡る内容",
    lead: "いまエージェントに渡る文章そのものと、各メモリーが入る理由・入らない理由です。見るだけなら記録されません。",
    see: "エージェントに渡る内容を見る",
    see_how: "エージェントが受け取る文章と、各メモリーが入る・入らない理由を確認できます。",
    query: "エージェントが伝える作業内容",
    tokens: "最大トークン数",
    layout: "レイアウト",
    layouts: |layout| match layout {
        Layout::ByKind => "種類別",
        Layout::PriorKnowledge => "既知の情報",
        Layout::Profile => "プロフィール",
    },
    show: "表示",
    used: |used, budget| format!("約{used} / {budget}トークン"),
    block: "文章",
    block_empty: "なし。エージェントには空の文章が渡ります。",
    reason: |code| match code {
        "serving_off" => "このエージェントへの提供は停止中です。",
        "opted_out" => "この人はオプトアウトしています。",
        _ => "何も提供されません。",
    },
    told: "渡すもの",
    left_out: "渡さないもの",
    none: "ありません。",
    memory: "メモリー",
    because: "理由",
    score: "順位点",
    sessions: "渡された会話",
    session: "セッション",
    sessions_none: "まだどのセッションにも渡されていません。",
    when: "日時",
    why: |why| match why {
        Why::Always => "この種類は常に含まれる",
        Why::Relevant => "作業に関係がある",
        Why::Ranked => "作業の指定がなく、順位が高い",
    },
    cut: |cut| match cut {
        CutFor::Budget => "入りきらない",
        CutFor::Cap => "種類ごとの上限に達した",
        CutFor::Irrelevant => "作業に関係がない",
        CutFor::OtherId => "別の ID が同じこと、または別のことを言っている",
        CutFor::Grace => "承認された直後で、まだ猶予の間である",
    },
};

/// Finding people.
pub const SEARCH: Search = Search {
    part: "ユーザーID、またはその一部",
    exact_why: "IDの一部で探すにはエージェントを選んでください。IDは暗号化して保存され、データベースはID全体の鍵付きハッシュだけを比べるため、全エージェントを対象にすると完全一致だけになります。",
    cut: |n| format!("新しい順に{}人だけを調べました。", grouped(n)),
};

/// What to do where a page cannot go on.
pub const FAILURES: Failures = Failures {
    needs: |roles| format!("この操作には次の権限が必要です：{roles}"),
    ask: |people| format!("権限を付与できる人：{people}"),
    what_to_do: |status| match status {
        403 => "それまでは、いまの権限でできることを続けられます。",
        404 => "アドレスを確かめるか、概要から探してください。",
        409 | 412 => "戻ってページを読み込み直し、いまの状態を確かめてください。",
        413 => "一度に送る量を減らしてください。",
        422 | 400 => "戻って、もう一度送信してください。",
        429 => "何も失われていません。1分ほど待って、もう一度送信してください。",
        503 => {
            "データベースが応答しません。1分ほどして再度お試しください。続く場合はKeepsakeの運用担当者に知らせてください。"
        }
        _ => {
            "もう一度お試しください。続く場合は、下の番号を運用担当者に伝えてください。ログの該当行がわかります。"
        }
    },
    extraction: |code| match code {
        "timeout" | "unreachable" | "provider_error" => {
            "モデルの提供元が応答しません。自動で再試行します。会話は待機し、失われません。続く場合は提供元の状況とKEEPSAKE_EXTRACTOR_BASE_URLを確かめてください。"
        }
        "rate_limited" => "提供元の制限がかかっています。少しあとで自動的に再試行します。",
        "no_key" => {
            "この提供元のキーが設定されていません。KEEPSAKE_EXTRACTOR_API_KEYを設定して再起動し、再試行してください。"
        }
        "key_refused" => {
            "提供元がキーを拒否しました。KEEPSAKE_EXTRACTOR_API_KEYを設定して再起動し、再試行してください。"
        }
        "unknown_model" | "bad_address" | "not_supported" => {
            "モデルまたはアドレスが不明です。keepsake doctorでKEEPSAKE_EXTRACTOR_MODELを確かめ、再試行してください。"
        }
        "too_long" | "context_length" => {
            "会話がモデルの上限を超えています。より長く読めるモデルを使ってください。"
        }
        _ => {
            "回答を利用できませんでした。下に抽出器の回答が残っていれば確かめ、再試行してください。"
        }
    },
    extraction_stuck: "会話の読み取りが止まっています。",
    extraction_stuck_how: "送られた会話は保管され、承認済みの内容は引き続きエージェントに渡ります。「ジョブ」で理由を確かめ、直してから再試行してください。",
    dropped_why: |dropped| match dropped {
        Dropped::NoEvidence => "根拠となる発言が会話にありませんでした。",
        Dropped::Served => "Keepsakeが渡した文章の繰り返しで、新しい情報ではありません。",
        Dropped::MachineMade => "人の発言ではありません。",
        Dropped::Secret => {
            "保存してはならないパスワードやキー、番号が含まれていました。会話そのもの以外には残りません。"
        }
        Dropped::KindNotInUse => {
            "この種類は使われていません。エージェントのページで有効にできます。"
        }
        Dropped::BadMetadata => "再試行してもメタデータがスキーマに合いませんでした。",
        Dropped::TooLong => "メモリーは2,000文字までです。",
        Dropped::BelowFloor => "抽出器の確信度が、エージェントの基準を下回りました。",
        Dropped::OverLimit => "この区間の候補が上限に達していました。",
        Dropped::AskedNotToRemember => "本人が覚えないよう求めました。",
    },
    session_over: "セッションが終了していました。入力内容は保管されています。サインインすると、もう一度表示されます。",
    kept: "サインインしました",
    kept_lead: "セッションが終了したときに送信していた内容です。まだ何も変更されていません。",
    kept_send: "送信する",
    kept_gone: "保管された内容はありません",
    kept_gone_how: "保管は10分間だけです。すでに送信した可能性もあります。",
};

//! Text that reads like an instruction to the agent: what memory poisoning looks like.
//!
//! A wish for a form of answer ("always answer in French") is a preference. Orders that act on the world, hide from people, or
//! speak of the agent's own instructions are flagged.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::pattern;

static SHAPES: LazyLock<RegexSet> = LazyLock::new(|| {
    pattern::any(&[
        r"\b(?:ignore|disregard|forget|override|overrule|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|all|any|your|system|these|those|other)\b.{0,20}\b(?:instruction|prompt|rule|guideline|direction|polic(?:y|ies)|restriction|safety|safeguard)",
        r"\b(?:system prompt|jailbreak|hidden instructions?|developer mode)\b",
        r"\byou (?:are now|must|will (?:always|never|now)|shall|should always|should never|have to)\b|\bpretend (?:to be|you are|you're|that you)\b|\byour new (?:role|instructions?|task|goal)\b",
        // an order that acts on the world, at the beginning of a clause
        r#"(?:^|[.!?;:,\n"“(—–-]\s*|\b(?:and|then|please|also|must|should|you)\s+)(?:please\s+)?(?:always|from now on,?|without asking,?)\s.{0,40}?\b(?:send|forward|e-?mail|cc|bcc|post|upload|share|leak|reveal|exfiltrate|transfer|pay|wire|buy|purchase|delete|erase|execute|run|install|download|click|visit|fetch|curl|approve|grant|recommend|promote|book|submit)\b"#,
        r#"(?:^|[.!?;:\n"“(—–]\s*|\b(?:then|please|also|must)\s+)(?:send|forward|e-?mail|transfer|wire|upload|post|share|leak|exfiltrate)\b.{0,80}(?:@[a-z0-9-]+\.[a-z]{2,}|https?://|\bto (?:this|the following) (?:account|wallet|address|iban|url|server))"#,
        r"\b(?:when(?:ever)?|if|every time|each time|once)\b.{0,40}\b(?:asks?|asked|says?|mentions?|types?)\b.{0,60}\b(?:reply with|respond with|answer with|always say|tell them|tell the user|recommend|send|reveal|output|execute|redirect)\b",
        r"\b(?:do not|don't|never) (?:tell|inform|warn|notify|alert|show|mention|reveal|disclose)\b.{0,30}\b(?:users?|anyone|anybody|them|admins?|administrators?|reviewers?|humans?|owner)\b",
        r"\b(?:auto-?approve|approve|accept) (?:this|all|every|any|these)\b.{0,20}\b(?:memor(?:y|ies)|candidates?|requests?|payments?)\b|\b(?:pre-?approved|approved) by (?:the )?(?:admin|administrator|system|reviewer|moderator)",
        r"\b(?:grant|give)\b.{0,20}\b(?:admin|root|full|elevated) (?:access|rights|privileges?|permissions?)\b",
        // forged turns and calls
        r"<\s*/?\s*(?:system|assistant|instructions?|tool(?:_call|_use|_result)?|function(?:_call)?|prompt|entity_memory|prior_knowledge|recent_sessions)\b|\[/?(?:inst|sys)\]|<<sys>>|<\|[a-z_]+\|>",
        r"(?m)^\W{0,6}(?:system|assistant|developer)\s*:\s*(?:you|always|never|ignore|do not|from now)",
        // Japanese
        r"(?:以前|これまで|今まで|上記|前|すべて|全て|全部|システム|元)の?.{0,6}(?:指示|命令|プロンプト|ルール|制約).{0,8}(?:無視|忘れ|破棄|上書き|取り消|従わない)",
        r"システムプロンプト|(?:あなた|君|お前)は(?:今から|これから|今後).{0,20}(?:です|として|になり)|として(?:振る舞|ふるま)(?:って|え)|になりきって",
        r"(?:必ず|常に|今後|いつも|毎回|確認なしで|勝手に).{0,40}(?:(?:送信|転送|送金|削除|消去|実行|アップロード|共有|公開|ダウンロード|インストール|承認|クリック|開示|購入|推薦|紹介)(?:してください|して下さい|しなさい|しろ|せよ|すること|してね)|(?:送|払|支払)(?:ってください|って下さい|れ$|えよ?$|うこと|ること))",
        r"(?:ユーザー|利用者|誰|管理者|本人|人)に(?:は|も)?(?:言わない|知らせない|教えない|伝えない|話さない|言うな|知らせるな|教えるな)",
        // Chinese
        r"(?:忽略|[无無][视視]|忘[记掉記]|不要理[会會]|[绕繞][过過]|覆[盖蓋]).{0,12}(?:之前|以上|上面|先前|前面|此前|所有|系[统統]|你的|任何|一切).{0,8}(?:指令|指示|提示|[规規][则則]|命令|[设設]定|限制)",
        r"系[统統]提示|你[现現]在是|[从從][现現]在(?:起|[开開]始)[，, ]?(?:你|[请請])|[请請]扮演|假[装裝]你是|你必[须須]|[开開][发發]者模式",
        r"(?:不要|[别別]|不得|切勿|[请請]勿)(?:告[诉訴]|通知|提醒|[让讓])(?:用[户戶]|任何人|他|她|管理[员員]|[别別]人)",
    ])
});

/// In Chinese an order and a habit have the same verb; who does it stands before.
static CHINESE_ORDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern::one(
        r"([^，。！？；\n]*?)(?:[务務]必|一律|始[终終]|[总總]是|每次|永[远遠]|必[须須]|以[后後]都?要?).{0,30}(?:[发發]送|[发發][给給到]|[转轉][发發]|[汇匯]款|[转轉][账帳]|支付|[删刪]除|[执執]行|上[传傳]|分享[给給]|泄[露漏]|下[载載]|安[装裝]|[点點][击擊]|批准)",
    )
});

/// Whether a text reads like an instruction to the agent.
pub(super) fn reads_like_one(plain: &str) -> bool {
    let chinese = || {
        CHINESE_ORDER
            .captures_iter(plain)
            .any(|order| !order[1].contains(['我', '他', '她']) && !order[1].contains("用户"))
    };
    SHAPES.is_match(plain) || chinese()
}

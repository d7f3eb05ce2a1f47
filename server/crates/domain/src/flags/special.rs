//! Special categories (G3): health, religion, union, sexuality, politics, minors; with what 要配慮個人情報 and 敏感个人信息 add:
//! origin, criminal records, bank accounts, whereabouts, biometrics.
//!
//! Words that technical talk uses otherwise (`障害` of a system, a `disabled` button, `agnostic`) count only in their personal sense.

use std::sync::LazyLock;

use regex::RegexSet;

use super::pattern;

static WORDS: LazyLock<RegexSet> = LazyLock::new(|| {
    pattern::any(&[
        // health
        r"\b(?:allerg(?:y|ies|ic)|(?:lactose|gluten|food)[- ]intoleran(?:t|ce)|co?eliac|diabet(?:es|ic)|asthma(?:tic)?|epilep(?:sy|tic)|migraines?|cancer|tumou?rs?|chemo(?:therapy)?|hiv|hepatitis|depress(?:ed|ion)|antidepressants?|anxiety|bipolar|schizophreni[ac]|autis(?:m|tic)|adhd|ptsd|ocd|dyslexi[ac]|anorexi[ac]|bulimi[ac]|suicid(?:e|al)|self[- ]harm|alcoholic|addictions?|rehab|insomnia|arthritis|had a stroke|dementia|alzheimer'?s?|parkinson'?s?)\b",
        r"\b(?:therapist|therapy|psychiatr(?:y|ist|ic)|psychologist|physiotherap(?:y|ist)|medications?|prescri(?:bed|ption)|insulin|inhaler|diagnosed|surgery|hospitali[sz]ed|chronic(?:ally)? (?:pain|illness|ill|fatigue)|illness|diseases?|disorder|disabilit(?:y|ies)|wheelchair|pregnan(?:t|cy)|miscarriage|ivf|abortion|menopaus(?:e|al)|blood (?:pressure|type|sugar|test)|cholesterol|heart (?:attack|condition|disease)|vaccinated|vaccination|(?:my|see a|saw a|sees a) doctor|injur(?:y|ed)|colou?r[- ]?blind|hearing (?:loss|aids?)|visually impaired|mental health|health (?:condition|issue|problem)s?|sick leave|medical)\b",
        r"アレルギー|持病|病気|糖尿病|高血圧|喘息|ぜんそく|がん(?:と診断|治療|患者|検診)|癌|(?:うつ|鬱)(?:病|っぽ)|抑うつ|不安障害|(?:発達|身体|精神|知的|聴覚|視覚|パニック|適応|睡眠)障害|障害者|障がい|自閉症|てんかん|妊娠|妊婦|不妊|流産|中絶|入院|通院|手術|診断され|服薬|服用|薬を飲|処方|投薬|精神科|心療内科|カウンセリング|セラピスト|車椅子|血圧|血糖|コレステロール|病歴|感染症|健康診断|ワクチン|花粉症|アトピー|[片偏]頭痛|依存症|不眠症|リハビリ|休職",
        r"过敏|過敏|疾病|患有|患病|生病|慢性病|糖尿病|高血[压壓]|哮喘|气喘|癌症|[肿腫]瘤|抑郁|[忧憂][郁鬱]症|焦[虑慮]症|躁郁|精神分裂|自[闭閉]症|多[动動]症|癫痫|[怀懷]孕|孕妇|流产|堕胎|住院|手[术術]|化疗|吃药|服药|处方药|心理(?:医生|咨询|治疗)|精神科|看医生|[残殘]疾|轮椅|血[压壓]|血糖|胆固醇|艾滋|乙肝|病史|体检报告|更年期|失眠症?|戒酒|戒毒|被诊断|确诊",
        // religion
        r"\b(?:religio(?:n|us)|christian(?:ity|s)?|catholic(?:ism|s)?|protestants?|evangelical|mormon|jehovah|muslims?|islam(?:ic)?|sunni|shia|jewish|judaism|jew|hindu(?:ism|s)?|buddhis(?:m|t|ts)|sikh(?:s|ism)?|atheis(?:m|t|ts)|church|mosque|synagogue|ramadan|bible|qur'?an|koran|torah|pray(?:s|er|ers|ing)?|bapti[sz]ed|halal|kosher|shinto|sabbath|shabbat)\b",
        r"宗教|信仰|キリスト教|クリスチャン|カトリック|プロテスタント|イスラム教|ムスリム|ユダヤ教|ヒン(?:ドゥー|ズー)教|仏教|神道|創価学会|エホバ|教会に|モスク|礼拝|お祈り|ラマダン|ハラー?ル|信者|洗礼",
        r"信教|基督[教徒]|天主教|伊斯[兰蘭]教|穆斯林|[犹猶]太[教人]|印度教|佛教|信佛|道教|无神论|教堂|清真|做[礼禮]拜|[祷禱]告|祈[祷禱]|斋月|法[轮輪]功|受洗",
        // union
        r"\b(?:(?:trade|labou?r|workers'?) unions?|union (?:members?|membership|rep(?:resentative)?s?|dues|steward)|works council|unioni[sz](?:e|ed|ing)|on strike)\b",
        r"労働組合|労組|組合員|組合活動|ストライキ|工[会會]|[罢罷]工",
        // sexuality
        r"\b(?:gay|lesbian|bisexual(?:ity)?|homosexual(?:ity)?|heterosexual|transgender|trans (?:man|woman|person)|non-?binary (?:person|gender)|(?:am|is|as|i'm) non-?binary|queer|lgbt[a-z+]*|asexual|pansexual|sexuality|sexual (?:orientation|preference|partners?)|same-sex|c[ao]me out as|coming out as|gender (?:identity|dysphoria|transition)|sex life)\b",
        r"同性愛|ゲイ(?:です|で|の|だ|と|、|。|カップル|バー|$)|レズビアン|バイセクシュアル|トランスジェンダー|性的指向|性自認|性的少数|同性婚|同性のパートナー|性生活|ノンバイナリー",
        r"[同双雙异異]性[恋戀]|跨性[别別]|性取向|性少[数數]|出[柜櫃]",
        // politics
        r"\b(?:vot(?:e|ed|es|ing) (?:for|against|conservative|labour|green|republican|democrat)|republicans?|democrats?|(?:labour|conservative|green|communist|socialist|democratic|tory|political) party|tories|left-wing|right-wing|far-(?:left|right)|political(?:ly)? (?:view|opinion|belief|affiliation|activis|active)[a-z]*|communis[tm]|socialis[tm]|marxis[tm]|anarchis[tm]|pro-life|pro-choice)\b",
        r"支持政党|自民党|立憲民主党|公明党|共産党|維新の会|国民民主党|社民党|れいわ新選組|参政党|投票し|投票する|政治的|政治信条|政治活動|党員|右翼|左翼|選挙[でに]",
        r"共[产產]党|[党黨][员員]|入[党黨]|国民党|國民黨|民[进進][党黨]|政治(?:立场|观点|面貌|倾向|立場|觀點)|投票[给給]|左派|右派",
        // minors
        r"\b(?:my|our|his|her|their|user'?s) (?:[a-z]+ )?(?:[0-9]{1,2}[- ](?:years?|months?|weeks?)[- ]old )?(?:sons?|daughters?|kids?|child(?:ren)?|baby|toddler|newborn|infant|twins|teen(?:ager)?s?|stepson|stepdaughter|grandsons?|granddaughters?|grandkids|grandchild(?:ren)?|niece|nephew)\b",
        r"\b(?:[0-9]|1[0-7])[- ]year[- ]old\b|\b(?:i'?m|i am|user is|she is|he is|she's|he's) (?:[0-9]|1[0-7])(?: years? old| yo)?(?:\.|,|!|$| years? old| yo\b| and )|\bunderage\b|\bin (?:kindergarten|preschool|nursery school|elementary school|primary school|middle school)\b|\b[0-9]{1,2}(?:st|nd|rd|th)[- ]grader?\b",
        r"未成年|小学[生\d１-６一二三四五六]|中学生|中学\d年|高校生|幼稚園|保育園|子ども|子供|こども(?:が|は|の|を|に|と)|息子|娘[がはのをにとも、さ]|赤ちゃん|乳児|幼児",
        r"儿子|兒子|女[儿兒](?:$|[^歌])|孩子|宝宝|寶寶|小孩|初中生|高中生|幼[儿兒]园|[婴嬰][儿兒]",
        // origin, crime, money, whereabouts, body
        r"\b(?:criminal (?:record|history|conviction)|convicted|felony|on parole|in (?:prison|jail)|ethnic(?:ity)?|racial|biometric|bank account (?:number|no)|immigration status|undocumented immigrant|asylum|refugee)\b",
        r"前科|犯罪歴|逮捕[歴さ]|有罪|服役|人種|民族|部落出身|社会的身分|生活保護|在留資格|口座番号|犯罪[记記][录錄]|坐过牢|服刑|判刑|[种種]族|[银銀]行(?:账户|账号|卡号|帳戶)|行踪|生物识别信息",
    ])
});

/// Whether a text speaks of a special category of personal data.
pub(super) fn speaks_of(plain: &str) -> bool {
    WORDS.is_match(plain)
}

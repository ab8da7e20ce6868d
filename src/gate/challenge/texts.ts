// The texts of the pages, in the languages that they are in.

export type Language = "en" | "de" | "fr" | "es" | "pt" | "ja" | "zh" | "ar";

export interface PageTexts {
  /** Of the HTML element. */
  readonly lang: string;
  readonly dir: "ltr" | "rtl";
  readonly title: string;
  readonly why: string;
  readonly duration: string;
  readonly opens: string;
  readonly working: string;
  readonly progress: string;
  readonly done: string;
  /** Below the explanation, for browsers without script. */
  readonly withoutScript: string;
  readonly skip: string;
  readonly early: string;
  readonly formKept: string;
  readonly formSend: string;
  readonly formLost: string;
  readonly formReady: string;
  readonly goBack: string;
  readonly passedTitle: string;
  readonly passed: string;
  readonly proceed: string;
  readonly cookiesTitle: string;
  readonly cookies: string;
  readonly failedTitle: string;
  readonly failed: string;
  readonly tryAgain: string;
  readonly reference: string;
  readonly rule: string;
}

const en: PageTexts = {
  lang: "en",
  dir: "ltr",
  title: "Checking your browser",
  why: "This site protects itself against automated requests. Your browser does a short calculation to show that this request is not one of them. You do not have to do anything.",
  duration: "This takes about a second, and a few seconds on a slow device.",
  opens: "Then the page opens by itself.",
  working: "Calculating…",
  progress: "Progress of the calculation",
  done: "Done. The page is opening…",
  withoutScript: "Your browser runs no script here. The page opens by itself after a few seconds.",
  skip: "Nothing happens? Continue without the calculation",
  early: "That was a little too early. Please wait a few more seconds.",
  formKept: "Your form is kept, and is sent after the check.",
  formSend: "Send the form",
  formLost: "Your form was not sent. After the check, please go back and send it again.",
  formReady: "Done. You can go back and send the form again.",
  goBack: "Go back",
  passedTitle: "Your browser has passed the check",
  passed: "You can continue to the page.",
  proceed: "Continue",
  cookiesTitle: "This site needs a cookie",
  cookies:
    "The calculation succeeded, but your browser did not keep the cookie that shows it. Allow cookies for this site, then try again.",
  failedTitle: "The check did not succeed",
  failed: "This can happen when the page was open for several minutes, or when the connection was lost.",
  tryAgain: "Try again",
  reference: "Reference",
  rule: "Rule",
};

const de: PageTexts = {
  lang: "de",
  dir: "ltr",
  title: "Ihr Browser wird geprüft",
  why: "Diese Website schützt sich vor automatisierten Anfragen. Ihr Browser führt eine kurze Berechnung aus, um zu zeigen, dass er keine davon ist. Sie müssen nichts tun.",
  duration: "Das dauert etwa eine Sekunde, auf einem langsamen Gerät einige Sekunden.",
  opens: "Danach öffnet sich die Seite von selbst.",
  working: "Wird berechnet …",
  progress: "Fortschritt der Berechnung",
  done: "Fertig. Die Seite wird geöffnet …",
  withoutScript: "Ihr Browser führt hier kein Skript aus. Die Seite öffnet sich nach einigen Sekunden von selbst.",
  skip: "Es passiert nichts? Ohne Berechnung fortfahren",
  early: "Das war etwas zu früh. Bitte warten Sie noch einige Sekunden.",
  formKept: "Ihr Formular bleibt erhalten und wird nach der Prüfung gesendet.",
  formSend: "Formular senden",
  formLost: "Ihr Formular wurde nicht gesendet. Bitte gehen Sie nach der Prüfung zurück und senden Sie es noch einmal.",
  formReady: "Fertig. Sie können zurückgehen und das Formular noch einmal senden.",
  goBack: "Zurück",
  passedTitle: "Ihr Browser hat die Prüfung bestanden",
  passed: "Sie können die Seite jetzt öffnen.",
  proceed: "Weiter",
  cookiesTitle: "Diese Website braucht ein Cookie",
  cookies:
    "Die Berechnung war erfolgreich, aber Ihr Browser hat das Cookie nicht behalten, das dies belegt. Erlauben Sie Cookies für diese Website und versuchen Sie es noch einmal.",
  failedTitle: "Die Prüfung ist nicht gelungen",
  failed: "Das kann vorkommen, wenn die Seite mehrere Minuten offen war oder die Verbindung unterbrochen wurde.",
  tryAgain: "Noch einmal versuchen",
  reference: "Kennung",
  rule: "Regel",
};

const fr: PageTexts = {
  lang: "fr",
  dir: "ltr",
  title: "Vérification de votre navigateur",
  why: "Ce site se protège contre les requêtes automatisées. Votre navigateur effectue un court calcul pour montrer qu’il n’en fait pas partie. Vous n’avez rien à faire.",
  duration: "Cela prend environ une seconde, quelques secondes sur un appareil lent.",
  opens: "La page s’ouvre ensuite d’elle-même.",
  working: "Calcul en cours…",
  progress: "Progression du calcul",
  done: "C’est fait. La page s’ouvre…",
  withoutScript:
    "Votre navigateur n’exécute pas de script ici. La page s’ouvre d’elle-même au bout de quelques secondes.",
  skip: "Rien ne se passe ? Continuer sans le calcul",
  early: "C’était un peu trop tôt. Veuillez attendre encore quelques secondes.",
  formKept: "Votre formulaire est conservé et sera envoyé après la vérification.",
  formSend: "Envoyer le formulaire",
  formLost: "Votre formulaire n’a pas été envoyé. Après la vérification, revenez en arrière et envoyez-le de nouveau.",
  formReady: "C’est fait. Vous pouvez revenir en arrière et envoyer de nouveau le formulaire.",
  goBack: "Revenir en arrière",
  passedTitle: "La vérification est réussie",
  passed: "Vous pouvez continuer vers la page.",
  proceed: "Continuer",
  cookiesTitle: "Ce site a besoin d’un cookie",
  cookies:
    "Le calcul a réussi, mais votre navigateur n’a pas conservé le cookie qui l’atteste. Autorisez les cookies pour ce site, puis réessayez.",
  failedTitle: "La vérification n’a pas abouti",
  failed: "Cela peut arriver si la page est restée ouverte plusieurs minutes ou si la connexion a été interrompue.",
  tryAgain: "Réessayer",
  reference: "Référence",
  rule: "Règle",
};

const es: PageTexts = {
  lang: "es",
  dir: "ltr",
  title: "Comprobando su navegador",
  why: "Este sitio se protege contra las solicitudes automatizadas. Su navegador hace un breve cálculo para demostrar que no es una de ellas. No tiene que hacer nada.",
  duration: "Tarda alrededor de un segundo, o unos segundos en un dispositivo lento.",
  opens: "Después, la página se abre por sí sola.",
  working: "Calculando…",
  progress: "Progreso del cálculo",
  done: "Listo. Se está abriendo la página…",
  withoutScript: "Su navegador no ejecuta scripts aquí. La página se abre por sí sola al cabo de unos segundos.",
  skip: "¿No ocurre nada? Continuar sin el cálculo",
  early: "Ha sido un poco pronto. Espere unos segundos más.",
  formKept: "Su formulario se conserva y se enviará después de la comprobación.",
  formSend: "Enviar el formulario",
  formLost: "Su formulario no se ha enviado. Después de la comprobación, vuelva atrás y envíelo de nuevo.",
  formReady: "Listo. Puede volver atrás y enviar de nuevo el formulario.",
  goBack: "Volver atrás",
  passedTitle: "Su navegador ha superado la comprobación",
  passed: "Puede continuar a la página.",
  proceed: "Continuar",
  cookiesTitle: "Este sitio necesita una cookie",
  cookies:
    "El cálculo se ha completado, pero su navegador no ha guardado la cookie que lo demuestra. Permita las cookies de este sitio e inténtelo de nuevo.",
  failedTitle: "La comprobación no se ha completado",
  failed: "Puede ocurrir si la página estuvo abierta varios minutos o si se interrumpió la conexión.",
  tryAgain: "Intentar de nuevo",
  reference: "Referencia",
  rule: "Regla",
};

const pt: PageTexts = {
  lang: "pt",
  dir: "ltr",
  title: "A verificar o seu navegador",
  why: "Este site protege-se contra pedidos automatizados. O seu navegador faz um cálculo breve para mostrar que não é um deles. Não precisa de fazer nada.",
  duration: "Demora cerca de um segundo, ou alguns segundos num dispositivo lento.",
  opens: "Depois, a página abre automaticamente.",
  working: "A calcular…",
  progress: "Progresso do cálculo",
  done: "Concluído. A página está a abrir…",
  withoutScript: "O seu navegador não executa scripts aqui. A página abre automaticamente após alguns segundos.",
  skip: "Não acontece nada? Continuar sem o cálculo",
  early: "Foi um pouco cedo demais. Aguarde mais alguns segundos.",
  formKept: "O seu formulário foi guardado e será enviado após a verificação.",
  formSend: "Enviar o formulário",
  formLost: "O seu formulário não foi enviado. Após a verificação, volte atrás e envie-o novamente.",
  formReady: "Concluído. Pode voltar atrás e enviar o formulário novamente.",
  goBack: "Voltar atrás",
  passedTitle: "O seu navegador passou na verificação",
  passed: "Pode continuar para a página.",
  proceed: "Continuar",
  cookiesTitle: "Este site precisa de um cookie",
  cookies:
    "O cálculo foi concluído, mas o seu navegador não guardou o cookie que o comprova. Permita cookies neste site e tente novamente.",
  failedTitle: "A verificação não foi concluída",
  failed: "Isto pode acontecer se a página esteve aberta vários minutos ou se a ligação foi interrompida.",
  tryAgain: "Tentar novamente",
  reference: "Referência",
  rule: "Regra",
};

const ja: PageTexts = {
  lang: "ja",
  dir: "ltr",
  title: "ブラウザを確認しています",
  why: "このサイトは自動化されたリクエストから保護されています。自動アクセスではないことを示すため、ブラウザが短い計算を行っています。お客様の操作は必要ありません。",
  duration: "通常は約1秒、遅い端末では数秒かかります。",
  opens: "終わるとページが自動的に開きます。",
  working: "計算しています…",
  progress: "計算の進行状況",
  done: "完了しました。ページを開いています…",
  withoutScript: "このブラウザではスクリプトが実行されません。数秒後にページが自動的に開きます。",
  skip: "何も起こらない場合は、計算せずに続ける",
  early: "少し早すぎました。あと数秒お待ちください。",
  formKept: "フォームの内容は保持され、確認後に送信されます。",
  formSend: "フォームを送信",
  formLost: "フォームは送信されませんでした。確認後に前のページへ戻り、もう一度送信してください。",
  formReady: "完了しました。前のページへ戻り、フォームをもう一度送信できます。",
  goBack: "戻る",
  passedTitle: "ブラウザの確認が完了しました",
  passed: "ページへ進むことができます。",
  proceed: "続ける",
  cookiesTitle: "このサイトではCookieが必要です",
  cookies:
    "計算は成功しましたが、それを示すCookieがブラウザに保存されませんでした。このサイトのCookieを許可して、もう一度お試しください。",
  failedTitle: "確認できませんでした",
  failed: "ページを数分間開いたままにした場合や、接続が切れた場合に起こることがあります。",
  tryAgain: "もう一度試す",
  reference: "参照番号",
  rule: "ルール",
};

const zh: PageTexts = {
  lang: "zh-Hans",
  dir: "ltr",
  title: "正在检查您的浏览器",
  why: "本网站会防范自动化请求。您的浏览器正在进行简短的计算，以表明这不是自动化请求。您无需进行任何操作。",
  duration: "通常需要大约一秒，较慢的设备需要几秒。",
  opens: "完成后页面会自动打开。",
  working: "正在计算…",
  progress: "计算进度",
  done: "已完成，正在打开页面…",
  withoutScript: "您的浏览器未在此处运行脚本。页面将在几秒后自动打开。",
  skip: "没有反应？不进行计算，直接继续",
  early: "稍微早了一点，请再等几秒。",
  formKept: "您的表单已保留，检查完成后会发送。",
  formSend: "发送表单",
  formLost: "您的表单尚未发送。检查完成后，请返回并重新发送。",
  formReady: "已完成。您可以返回并重新发送表单。",
  goBack: "返回",
  passedTitle: "您的浏览器已通过检查",
  passed: "您可以继续访问该页面。",
  proceed: "继续",
  cookiesTitle: "本网站需要使用 Cookie",
  cookies: "计算已成功，但您的浏览器没有保存用于证明的 Cookie。请允许本网站使用 Cookie，然后重试。",
  failedTitle: "检查未成功",
  failed: "页面打开了好几分钟，或者连接中断时，可能会出现这种情况。",
  tryAgain: "重试",
  reference: "参考编号",
  rule: "规则",
};

const ar: PageTexts = {
  lang: "ar",
  dir: "rtl",
  title: "جارٍ التحقق من متصفحك",
  why: "يحمي هذا الموقع نفسه من الطلبات الآلية. يُجري متصفحك عملية حسابية قصيرة ليُثبت أنه ليس مصدر طلب آلي. ليس عليك فعل أي شيء.",
  duration: "يستغرق ذلك نحو ثانية واحدة، وبضع ثوانٍ على جهاز بطيء.",
  opens: "ثم تُفتح الصفحة تلقائيًا.",
  working: "جارٍ الحساب…",
  progress: "تقدّم العملية الحسابية",
  done: "تم. جارٍ فتح الصفحة…",
  withoutScript: "متصفحك لا يشغّل البرامج النصية هنا. ستُفتح الصفحة تلقائيًا بعد بضع ثوانٍ.",
  skip: "لا يحدث شيء؟ تابع دون العملية الحسابية",
  early: "كان ذلك مبكرًا قليلًا. يُرجى الانتظار بضع ثوانٍ أخرى.",
  formKept: "تم الاحتفاظ بنموذجك، وسيُرسَل بعد التحقق.",
  formSend: "إرسال النموذج",
  formLost: "لم يُرسَل نموذجك. بعد التحقق، يُرجى الرجوع وإرساله مرة أخرى.",
  formReady: "تم. يمكنك الرجوع وإرسال النموذج مرة أخرى.",
  goBack: "رجوع",
  passedTitle: "اجتاز متصفحك التحقق",
  passed: "يمكنك المتابعة إلى الصفحة.",
  proceed: "متابعة",
  cookiesTitle: "يحتاج هذا الموقع إلى ملف تعريف ارتباط",
  cookies:
    "نجحت العملية الحسابية، لكن متصفحك لم يحتفظ بملف تعريف الارتباط الذي يُثبت ذلك. اسمح بملفات تعريف الارتباط لهذا الموقع، ثم حاول مرة أخرى.",
  failedTitle: "لم ينجح التحقق",
  failed: "قد يحدث ذلك عندما تبقى الصفحة مفتوحة عدة دقائق أو عند انقطاع الاتصال.",
  tryAgain: "حاول مرة أخرى",
  reference: "الرقم المرجعي",
  rule: "القاعدة",
};

export const TEXTS: Readonly<Record<Language, PageTexts>> = { en, de, fr, es, pt, ja, zh, ar };

// What the pages of denied requests say, in the languages of the challenge: a text that a language lacks does not compile.
import type { Language } from "./challenge/page-texts.ts";

export interface RefusalTexts {
  readonly deniedTitle: string;
  readonly denied: string;
  /** Of a request above a rate limit. */
  readonly limitedTitle: string;
  readonly limited: string;
  /** Below the id of the decision. */
  readonly mistake: string;
  readonly home: string;
}

export const REFUSAL_TEXTS: Readonly<Record<Language, RefusalTexts>> = {
  en: {
    deniedTitle: "This request was denied",
    denied: "The rules of this site do not let it through. They decide that, not your browser.",
    limitedTitle: "Too many requests",
    limited: "You have sent more requests than this site takes. Wait a little, then try again.",
    mistake: "If you think that this is a mistake, send this ID to the people who run the site. It shows them why.",
    home: "Home page",
  },
  de: {
    deniedTitle: "Diese Anfrage wurde abgelehnt",
    denied: "Die Regeln dieser Website lassen sie nicht durch. Das liegt nicht an Ihrem Browser.",
    limitedTitle: "Zu viele Anfragen",
    limited:
      "Sie haben mehr Anfragen gesendet, als diese Website annimmt. Warten Sie ein wenig, und versuchen Sie es dann noch einmal.",
    mistake:
      "Wenn Sie das für einen Fehler halten, senden Sie diese ID an den Betreiber der Website. Sie zeigt ihm den Grund.",
    home: "Startseite",
  },
  fr: {
    deniedTitle: "Cette requête a été refusée",
    denied: "Les règles de ce site ne la laissent pas passer. Votre navigateur n’y est pour rien.",
    limitedTitle: "Trop de requêtes",
    limited: "Vous avez envoyé plus de requêtes que ce site n’en accepte. Attendez un peu, puis réessayez.",
    mistake:
      "Si vous pensez qu’il s’agit d’une erreur, envoyez cet identifiant à l’exploitant du site. Il y verra la raison.",
    home: "Page d’accueil",
  },
  es: {
    deniedTitle: "Esta solicitud se ha denegado",
    denied: "Las reglas de este sitio no la dejan pasar. No es culpa de su navegador.",
    limitedTitle: "Demasiadas solicitudes",
    limited: "Ha enviado más solicitudes de las que admite este sitio. Espere un poco y vuelva a intentarlo.",
    mistake: "Si cree que es un error, envíe este ID a quien administra el sitio. Con él verá el motivo.",
    home: "Página de inicio",
  },
  pt: {
    deniedTitle: "Este pedido foi recusado",
    denied: "As regras deste site não o deixam passar. O problema não está no seu navegador.",
    limitedTitle: "Demasiados pedidos",
    limited: "Enviou mais pedidos do que este site aceita. Aguarde um pouco e tente novamente.",
    mistake: "Se pensa que é um engano, envie este ID a quem gere o site. Com ele verá o motivo.",
    home: "Página inicial",
  },
  ja: {
    deniedTitle: "このリクエストは拒否されました",
    denied: "このサイトのルールにより、リクエストは許可されませんでした。お使いのブラウザの問題ではありません。",
    limitedTitle: "リクエストが多すぎます",
    limited: "このサイトが受け付ける数を超えるリクエストが送信されました。しばらく待ってから、もう一度お試しください。",
    mistake: "誤りだと思われる場合は、この ID をサイトの運営者に送ってください。運営者は理由を確認できます。",
    home: "トップページ",
  },
  zh: {
    deniedTitle: "此请求已被拒绝",
    denied: "本网站的规则不允许该请求通过。这不是您浏览器的问题。",
    limitedTitle: "请求过多",
    limited: "您发送的请求超出了本网站接受的数量。请稍等片刻，然后重试。",
    mistake: "如果您认为这是误判，请将此 ID 发送给网站的运营者。运营者可据此查看原因。",
    home: "首页",
  },
  ar: {
    deniedTitle: "رُفض هذا الطلب",
    denied: "قواعد هذا الموقع لا تسمح بمروره. ليست المشكلة في متصفحك.",
    limitedTitle: "طلبات كثيرة جدًا",
    limited: "لقد أرسلت طلبات أكثر مما يقبله هذا الموقع. انتظر قليلًا، ثم حاول مرة أخرى.",
    mistake: "إذا كنت تعتقد أن هذا خطأ، فأرسل هذا المعرّف إلى القائمين على الموقع. به يعرفون السبب.",
    home: "الصفحة الرئيسية",
  },
};

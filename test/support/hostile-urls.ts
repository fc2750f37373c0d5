/** Addresses that a model may have been made to write: by what they try. */
const control = (code: number) => String.fromCharCode(code)
const words = (text: string) => text.trim().split(/[ \n]+/)

/** Run a script, or show a document of the attacker's, where a browser opens them. */
export const scripts: readonly string[] = [
  ...words(`
    javascript:alert(1) JAVASCRIPT:alert(1) JaVaScRiPt:alert(1) javascript: javascript://a.example/%0aalert(1)
    javascript:https://docs.example javascript:void(0)//https://docs.example
    javascript:/*https://docs.example*/alert(1)
  `),
  ...['jav\tascript:alert(1)', 'jav\nascript:alert(1)', 'jav\rascript:alert(1)', 'java\r\nscript:alert(1)'],
  'javascript\t:alert(1)',
  'javascript\n:alert(1)',
  'j\na\nv\na\ns\nc\nr\ni\np\nt:alert(1)',
  '\n\n javascript:alert(1)',
  // All that a browser cuts off the front.
  ...Array.from({ length: 33 }, (_, code) => `${control(code)}javascript:alert(1)`),
  ...words(`
    vbscript:msgbox(1) VBSCRIPT:msgbox(1) livescript:alert(1) mocha:alert(1) jscript:alert(1)
    data:text/html,<script>alert(1)</script> data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==
    DATA:text/html,a data:,a data:image/svg+xml;base64,PHN2Zy8+ data:application/xhtml+xml,a
    data:text/javascript,alert(1) data:text/xml,a data:image/png,<script> data:image/png;base64,<script>
    data:image/png;base64, data:image/png;charset=utf-8;base64,AAAA data:image/png;base64,AAAA#<svg>
    data:image/bmp;base64,AAAA data:image/x-icon;base64,AAAA data:image/png;base64,%41
    data:image/png;base64,AAAA"onerror="alert(1) data:image/png;base64,AAAA'onerror='a data:image/png;base64,AAAA,
    data:image/jpg;base64,AAAA
  `),
  'vb\nscript:msgbox(1)',
  'data:image/svg+xml,<svg onload="alert(1)"/>',
  'da\nta:text/html,a',
  'data: image/png;base64,AAAA',
  ' data:image/png;base64,AAAA',
  'data:image/png;base64,AA AA',
  'data:image/png;base64,AAAA\n',
]

/** Reach into the machine or other programs. */
export const schemes: readonly string[] = [
  ...words(`
    file:///etc/passwd file://server/share FILE:///c:/windows blob:https://docs.example/0a blob:null/0a
    filesystem:https://docs.example/a about:blank about:srcdoc chrome://settings chrome-extension://abc/a.html
    moz-extension://abc/a edge://flags resource://a view-source:https://docs.example ftp://docs.example/a
    sftp://docs.example ws://docs.example wss://docs.example ssh://docs.example git://docs.example/a
    ldap://docs.example gopher://docs.example smb://docs.example/a nfs://docs.example telnet://docs.example
    irc://docs.example magnet:?xt=urn:a intent://a#Intent;scheme=https;end market://details?id=a
    ms-word:ofe|u|https://docs.example/a ms-msdt:/id search-ms:query=a vscode://file/etc/passwd slack://open
    zoommtg://a steam://run/1 itms-services://?a tel:+123 sms:+123 facetime:a skype:a?call urn:a:b cid:a mid:a
    jar:https://docs.example!/a feed:javascript:alert(1) x:y a: https-a:b httpss://docs.example
  `),
]

/** Carry a name and a password, which hides the host, or are not an address. */
export const broken: readonly string[] = [
  ...words(`
    https://docs.example@evil.example/ https://docs.example:443@evil.example/ https://user:pass@docs.example/
    https://user@docs.example https://:pass@docs.example https://docs.example%40evil.example
    https://docs.example%2f@evil.example https:// http:// https: https:/// https://? https://# https://:80
    https://a<b https://a^b https://a|b https://[::1 https://[a] https://1.2.3.256 https://a:99999 https://a:b
    https://% https://%00 https://a%00.example https://a%2f.example https://\u00ad
  `),
  'https://docs.example\t@evil.example',
  'https://a b',
  'https://\u0000',
  'https://a\u0000b',
  'https://\u200b\u2060',
  ...[
    `https://docs.example/${'a'.repeat(2048)}`,
    `https://docs.example/?q=${'%20'.repeat(700)}`,
    `https://docs.example/${'\u00fc'.repeat(700)}`,
    `mailto:a@docs.example?body=${'a'.repeat(2048)}`,
  ],
]

/** Not what they look like, but a link may lead there: a person sees the host. An image may not. */
export const foreign: readonly string[] = [
  ...words(`
    https://attacker.example/?q=secret http://attacker.example/pixel.gif https://docs.example.evil.example/
    https://docs.example. https://xdocs.example https://evil.example/https://docs.example
    https://evil.example#https://docs.example https://evil.example?https://docs.example
    https://evil.example/docs.example https://evil.example\\docs.example https:\\\\evil.example https:/evil.example
    https:evil.example https:////evil.example https:\\/\\/evil.example HTTPS://EVIL.EXAMPLE https://docs.example:8443
    http://docs.example https://sub.docs.example https://docs-example https://DOCS.EXAMPLE.evil.example
    https://d\u043ecs.example https://docs\u3002evil.example https://docs.example\uff0fevil.example
    https://127.0.0.1/ https://0x7f.1/ https://2130706433/ https://[::1]/ https://[::ffff:7f00:1]/ https://localhost/
    https://169.254.169.254/latest/meta-data https://0/ https://xn--a https://017700000001/
    https://evil.example/%2e%2e/a https://evil.example/<script> https://evil.example/"onload="a
    https://evil.example/'a https://evil.example/\u202egpj.exe
  `),
  'h\nttps://evil.example',
  'https://evil\n.example',
  'https://e\tvil.example',
  ' https://evil.example ',
  '\u0001https://evil.example',
  'https://evil.example/`a`',
  'https://evil.example/a?b=<img src=x>',
]

/** Not an address by themselves: they need one to be relative to. */
export const relative: readonly string[] = [
  ...words(`
    //evil.example \\\\evil.example /\\evil.example \\/evil.example ///evil.example /a a ?q #a . .. ../../a
    %2f%2fevil.example java&#115;cript:alert(1) javascript&colon;alert(1) &#106;avascript:alert(1)
    javascript%3aalert(1) %6aavascript:alert(1) \\u006aavascript:alert(1) <javascript:alert(1)> "javascript:alert(1)"
    (javascript:alert(1)) \u0085javascript:alert(1) 1:a :a -a:b
  `),
  '/\t/evil.example',
  '\t//evil.example',
  '',
  ' ',
  'java\u0000script:alert(1)',
  'javascript\u0000:alert(1)',
  '\u200bjavascript:alert(1)',
  '\ufeffjavascript:alert(1)',
  '\u00a0javascript:alert(1)',
  'java script:alert(1)',
  '\u2028javascript:alert(1)',
]

const inwardHosts = [
  ...words(`
    10.0.0.1 169.254.169.254 127.0.0.1 localhost [::1] x.home.arpa db.internal home.arpa
  `),
]
/** A public host, with what parsers take for the end of a host, or for a user. */
const before = ['', 'user@', 'user:pw@', 'docs.example@', 'docs.example:443@', 'docs.example%2f@', '@', ':@']
const between = [
  ...words(`
    ?@ #@ ;@ &@ \\@ %2f@ %3f@ %23@ %00@ ?x@ #x@ :443?@ :443#@ ?. #. \\ \u3002@
  `),
  '\t@',
]
const after = [
  ...words(`
    / . ./ ../ .:443/ :443/ %2e/ \u3002/ \uff0e/ ? # \\ /\\a ?.example #.example/
  `),
  '',
]

/**
 * Reach into the network of the client that fetches them, or have two hosts: one that is public and one that is not, and it depends on the parser
 * which of them is asked.
 */
export const inward: readonly string[] = [
  ...inwardHosts.flatMap((host) => before.flatMap((start) => after.map((end) => `https://${start}${host}${end}`))),
  ...inwardHosts.flatMap((host) => between.map((sign) => `https://docs.example.com${sign}${host}/`)),
  ...['localhost', 'home.arpa', 'internal', 'local', 'svc', 'test'].flatMap((name) =>
    ['', '.', '..', '...'].flatMap((dots) => [
      `https://${name}${dots}/`,
      `https://x.${name}${dots}/`,
      `https://X.${name.toUpperCase()}${dots}`,
    ]),
  ),
  ...words(`
    https://a..example.com/ https://.example.com/ https://a.example.com../ https://\uff4cocalhost/
    https://loc\u00adalhost/ https://0x7f.1/ https://2130706433/ https://017700000001/
    https://\u2460\u2461\u2466.0.0.1/ https://127\u30020\u30020\u30021/ https://0/ https://127.1/ https://0x7f000001/
    https://127.0.0.1. https://0177.0.0.1/ https://[::ffff:10.0.0.1]/
  `),
]

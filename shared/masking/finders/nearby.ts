// Key-like strings near a word that promises one, where no sign of assignment stands between: `Using token 8f3a…`,
// `stripe '…'`. Only strings that are no word, path, id or hash count, so this is the least sure of the rules.

import { meaningOf } from '../keyNames.ts';
import type { Scan } from '../scan.ts';
import { type Randomness, randomness } from '../values.ts';
import { BARRIER } from '../views.ts';

/** Words for secrets. */
const WORDS =
  'tokens?|secrets?|api|apikeys?|credentials?|creds|passwords?|passwd|pwd|bearer|access key|private key|pat|oauth|auth|key';
/**
 * Services whose keys have no form of their own: random letters and digits, hexadecimal digits, a UUID. Names that logs
 * of other systems are full of (github, docker, kafka) are left out.
 */
const SERVICES =
  'abuseipdb|abyssale|accuweather|adafruit|adobe|adzuna|aeroworkflow|airtable|airvisual|aiven|alchemy|alegra|aletheia|algolia|alibaba|alienvault|allsports|amadeus|anypoint|apacta|apiflash|apify|apilayer|apimatic|apimetrics|apitemplate|appcues|appfollow|appointedd|appoptics|appsynergy|artifactory|asana|assemblyai|atera|auth0|autodesk|autoklose|aviationstack|axonaut|bannerbear|baremetrics|beebole|besnappy|billomat|bingsubscriptionkey|bitbar|bitbucket|bitcoinaverage|bitfinex|bitly|bitmex|blablabus|blazemeter|blocknative|bombbomb|borgbase|braintree|branchio|brandfetch|braze|browserstack|browshot|bscscan|budibase|bugherd|bugsnag|buildkite|bulbul|bulksms|buttercms|caflou|calendarific|calendly|campayn|cannyio|capsulecrm|captaindata|carboninterface|cashboard|caspio|censys|centralstationcrm|cexio|chartmogul|chatfule|checio|checklyhq|checkvist|circleci|clarifai|clearbit|clickhelp|clicksend|clicksign|clickup|cliengo|clinchpad|clockify|clockworksms|cloudelements|cloudflare|cloudimage|cloudmersive|cloudplan|cloudsmith|cloverly|clustdoc|codacy|codeclimate|codecov|codemagic|codequiry|coinapi|coinbase|coinlayer|coinlib|collect2|commercejs|companyhub|confluent|contentful|conversiontools|convertapi|convertkit|convier|couchbase|countrylayer|coveralls|craftmypdf|crowdin|cryptocompare|currencycloud|currencyfreaks|currencylayer|currencyscoop|currentsapi|customerguru|customerio|d7network|dailyco|dandelion|databox|datadog|datagov|deepai|deepgram|deepseek|deputy|detectify|detectlanguage|dfuse|diffbot|diggernaut|digitalocean|discogs|disqus|docparser|documo|docusign|doppler|dotdigital|dovico|dronahq|droneci|dropbox|duply|dwolla|dynadot|dyspatch|eagleeyenetworks|easyinsight|ecostruxureit|edamam|edenai|eightxeight|elasticemail|elevenlabs|enablex|endorlabs|etherscan|ethplorer|etsy|eventbrite|everhour|exchangerate|exportsdk|extractorapi|faceplusplus|fastforex|fastly|feedier|fetchrss|fibery|figma|fileio|filestack|financialmodelingprep|findl|finicity|finnhub|fixerio|flatio|fleetbase|flickr|flightapi|flightlabs|flightstats|flowflu|flutterwave|fmfw|formbucket|formcraft|formio|formsite|foursquare|frameio|freshbooks|freshdesk|fusebill|fxmarket|gengo|geoapify|geocode|geocodify|geocodio|geoipifi|getemail|getgeoapi|getgist|getresponse|getsandbox|gitter|glassnode|gocanvas|gocardless|goodday|graphcms|graphhopper|groovehq|gtmetrix|guardianapi|gumroad|gyazo|happyscribe|helpcrunch|helpscout|hereapi|heroku|hiveage|holidayapi|honeycomb|html2pdf|huggingface|hunter|hybiscus|hypertrack|ibmclouduser|iconfinder|iexapis|iexcloud|imagekit|imagga|insightly|instamojo|intercom|interseller|intra42|intrinio|invoiceocean|ip2location|ipapi|ipgeolocation|ipify|ipinfo|ipquality|ipstack|jiratoken|jotform|jumpcloud|jupiterone|kanbantool|karmacrm|keenio|kickbox|klaviyo|klipfolio|knapsackpro|kraken|kucoin|kylas|languagelayer|larksuite|launchdarkly|leadfeeder|lemlist|lendflow|lessannoyingcrm|lexigram|linearapi|linenotify|linkpreview|liveagent|livestorm|loadmill|lob|locationiq|loggly|loginradius|logzio|lokalise|loyverse|lunchmoney|luno|madkudu|mailboxlayer|mailchimp|mailerlite|mailgun|mailjet|mailmodo|mailsac|mapbox|mapquest|marketstack|mattermost|maxmind|meaningcloud|mediastack|meistertask|mesibo|messagebird|metaapi|metrilo|mindmeister|mixpanel|mockaroo|monkeylearn|moonclerk|moosend|mrticktock|myexperiment|myfreshworks|myintervals|nasdaq|nethunt|netlify|neutrino|newsapi|newscatcher|nexmo|nftport|ngrok|nicereply|nightfall|noticeable|nozbe|numverify|nutritionix|nvapi|nylas|nytimes|oanda|okta|omnisend|onedesk|onelogin|onepagecrm|onesignal|onfleet|onwater|oopspam|opencage|opengraphr|openuv|openvpn|openweather|opsgenie|optimizely|overloop|owlbot|packagecloud|pagarme|pagerduty|pandadoc|pandascore|paperform|paralleldots|parsehub|parseur|partnerstack|pastebin|paydirtapp|paymo|paymongo|paypal|paystack|pdflayer|pdfshift|peopledatalabs|pepipost|pinata|pipedream|pipedrive|pivotaltracker|pixabay|plaid|planviewleankit|plivo|pollsapi|poloniex|portainer|positionstack|postageapi|posthog|postman|postmark|powrbot|prodpad|prospectcrm|prospectio|protocolsio|proxycrawl|pubnub|pulumi|purestake|pushbullet|qualaroo|qubole|rapidapi|rawg|razorpay|reachmail|readme|reallysimplesystems|realtor|rebrandly|rechargepayments|refiner|rentman|repairshopr|replicate|replyio|requestfinance|restpack|revamp|ringcentral|ritekit|roaring|rocketreach|rockset|roninapp|route4me|rownd|runrunit|salesblink|salescookie|salesflare|salesmate|sanity|satismeter|saucelabs|scalewaykey|scalr|scrapeowl|scraperapi|scraperbox|scrapestack|scrapfly|scrapingant|scrapingbee|screenshotapi|screenshotlayer|scrutinizer|securitytrails|selectpdf|sendbird|sendgrid|sendinblue|serpapi|serpstack|sheety|sherpadesk|shipday|shodan|shopify|shotgrid|shotstack|shutterstock|signable|signalwire|signaturit|signupgenius|sigopt|sigparser|simfin|simplesat|simplybook|simvoly|sinch|sirv|siteleaf|skrappio|skybiometry|smartsheet|smartystreets|smooch|snipcart|snyk|sonarcloud|sourcegraph|sparkpost|speechtext|splunkobservability|spoonacular|sportradar|sportsmonk|spotify|squareapp|squarespace|squareup|sslmate|stabilityai|statuscake|statuspage|statuspal|stockdata|storecove|stormboard|stormglass|storyblok|storychief|stripo|stytch|sugester|sumologic|supernotes|surveyanyplace|surveybot|surveysparrow|survicate|swiftype|tallyfy|taxjar|teamgate|teamwork|technicalanalysis|tefter|telegram|telesign|teletype|telnyx|testingbot|textmagic|theoddsapi|thinkific|thousandeyes|ticketmaster|ticktick|tiingo|timecamp|timezoneapi|tineswebhook|tmetric|todoist|toggltrack|tokeet|tomorrowio|tomtom|tradier|transferwise|travelpayouts|travisci|trello|trufflehog|turnitin|twelvedata|twilio|twitch|tyntec|typeform|typetalk|ubidots|uclassify|unifyid|unplugg|unsplash|upcdatabase|uplead|uploadcare|uptimerobot|upwave|urlscan|userflow|userstack|vagrantcloud|vatlayer|vbout|vercel|verimail|veriphone|versioneye|viewneo|virustotal|visualcrossing|voicegain|voodoosms|vouchery|vpnapi|vultr|vyte|wakatime|walkscore|weatherbit|weatherstack|web3|webex|webflow|webscraper|websitepulse|wepay|whoxy|wistia|wordpress|workable|worksnaps|workstack|worldcoinindex|worldweather|wrike|xai|yandex|yelp|youneedabudget|yousign|zapier|zendesk|zenkit|zenrows|zenscrape|zenserp|zeplin|zerobounce|zerotier|zipapi|zipbooks|zipcodeapi|zipcodebase|zohocrm|zonkafeedback|zulip';
const TRIGGER = new RegExp(`(?<![A-Za-z])(?:(${WORDS})|(${SERVICES}))(?![a-z])`, 'gi');
/** As far as people put between a name and a key. */
const REACH = 40;
/** A word and what is between. */
const BEFORE = REACH + 24;
const SHORTEST = 20;
const LAST_LINE = new RegExp(`[^\\n${BARRIER}]*$`);
/** A key-like word. */
const CANDIDATE = /[A-Za-z0-9+/][\w+/=.~|:@!-]{14,400}/g;
/** `name=` at the beginning of a word. */
const NAME = /^[A-Za-z_][\w.-]{0,40}[=:](?=[^=:/])/;
const OTHER_KEY = /[\w.-]{2,}["']?\s{0,3}[=:]\s{0,3}["']?$/;
const JOINED =
  /^(?:\.\w{1,30})?(?:[ \t]?(?:api|app|client|access|auth|user|account|secret)?[ _-]?(?:key|token|secret|id|sid|pat|password|credentials?|auth)s?\d{0,2})?[\s"'`:=({>|,-]{1,8}$/i;

/** Finds key-like strings near words that promise one. It looks for the strings first, because they are rarer. */
export function findNearby(scan: Scan): void {
  const { text } = scan;
  CANDIDATE.lastIndex = 0;
  for (let found = CANDIDATE.exec(text); found !== null; found = CANDIDATE.exec(text)) {
    const name = NAME.exec(found[0])?.[0].length ?? 0;
    const value = found[0].slice(name).replace(/[.:=|,!-]+$/, '');
    const start = found.index + name;
    scan.spend(value.length);
    const randomnessOfValue = randomness(value);
    if (randomnessOfValue === 'none' || value.length < SHORTEST) continue;
    scan.spend(BEFORE);
    if (isPromised(text, start, value, randomnessOfValue)) scan.found(start, start + value.length, 'key');
  }
}

/** Whether one of the words stands close enough before a key-like string, on the same line. */
function isPromised(text: string, start: number, value: string, found: Randomness): boolean {
  const from = Math.max(0, start - BEFORE);
  const before = text.slice(from, start);
  // An escaped line break.
  if (before.endsWith('\\')) return false;
  const line = from + before.search(LAST_LINE);
  TRIGGER.lastIndex = 0;
  const window = text.slice(line, start);
  for (let hit = TRIGGER.exec(window); hit !== null; hit = TRIGGER.exec(window)) {
    const end = hit.index + hit[0].length;
    if (window.length - end > REACH) continue;
    if (hit[1] !== undefined && !promises(text, line + hit.index, line + end)) continue;
    if (isKey(value, found, window.slice(end), hit[2] !== undefined)) return true;
  }
  return false;
}

/** Whether a word stands alone, or ends the name of a key whose value is a secret: `cache_key` is none. */
function promises(text: string, start: number, end: number): boolean {
  const before = /[\w.-]{0,60}$/.exec(text.slice(Math.max(0, start - 60), start))?.[0] ?? '';
  const after = /^[\w-]{0,60}/.exec(text.slice(end, end + 60))?.[0] ?? '';
  // `partition key 4bf9…` names a place.
  const word = /([A-Za-z]{2,30}) $/.exec(text.slice(Math.max(0, start - 32), start))?.[1];
  if (before + after === '' && word !== undefined && /^key$/i.test(text.slice(start, end)))
    return meaningOf(`${word}_key`) !== undefined;
  return before + after === '' || meaningOf(before + text.slice(start, end) + after) !== undefined;
}

function isKey(value: string, found: Randomness, between: string, service: boolean): boolean {
  const adjoins = JOINED.test(between);
  // The value of another key: `bad token, request_id=…`.
  if (!adjoins && OTHER_KEY.test(between)) return false;
  if (found === 'random') return adjoins || !/[/:]/.test(value);
  // Ids and digests look like keys in hexadecimal, so the word must stand right before them.
  if (!adjoins || /\b(?:id|uid|uuid)\b/i.test(between)) return false;
  return !service || /["'`(]$/.test(between) || /key|token|secret|password/i.test(between);
}

// Key-like strings near a word that promises one, where no sign of assignment stands between: `Using token 8f3a…`,
// `stripe '…'`. Only strings that are no word, path, id or hash count, so this is the least sure of the rules.

import type { Scan } from '../scan.ts';
import { randomness } from '../values.ts';
import { BARRIER } from '../views.ts';

/** Words for secrets. */
const WORDS =
  'tokens?|secrets?|api|apikeys?|credentials?|creds|passwords?|passwd|pwd|bearer|access key|private key|pat|oauth|auth|key';
/**
 * Services whose keys have no form of their own: random letters and digits, hexadecimal digits, a UUID. Names that logs
 * of other systems are full of (github, docker, kafka) are left out.
 */
const SERVICES =
  'abuseipdb|abstract|abyssale|accuweather|adafruit|adobe|adzuna|aeroworkflow|agora|airbrake|airship|airtable|airvisual|aiven|alchemy|alegra|aletheia|algolia|alibaba|alienvault|allsports|amadeus|amplitude|anypoint|apacta|apiflash|apify|apilayer|apimatic|apimetrics|apitemplate|appcues|appfollow|appointedd|appoptics|appsynergy|artifactory|asana|assemblyai|atera|auth0|autodesk|autoklose|autopilot|aviationstack|axonaut|azure|bannerbear|baremetrics|beamer|beebole|besnappy|billomat|bing|bingsubscriptionkey|bitbar|bitbucket|bitcoinaverage|bitfinex|bitly|bitmex|blablabus|blazemeter|blocknative|blogger|bombbomb|boostnote|borgbase|box|brandfetch|braintree|branchio|braze|browserstack|browshot|bscscan|budibase|bugherd|bugsnag|buildkite|bulbul|bulksms|buttercms|caflou|calendarific|calendly|campayn|cannyio|capsulecrm|captaindata|carboninterface|cashboard|caspio|censys|centralstationcrm|cexio|chartmogul|chatbot|chatfule|checio|checklyhq|checkout|checkvist|cicero|circleci|clarifai|clearbit|clickhelp|clicksend|clicksign|clickup|cliengo|clinchpad|clockify|clockworksms|close|cloudflare|cloudelements|cloudimage|cloudmersive|cloudplan|cloudsmith|cloverly|cloze|clustdoc|coda|codacy|codecov|codeclimate|codemagic|codequiry|coinapi|coinbase|coinlayer|coinlib|collect2|column|commercejs|commodities|companyhub|confluent|contentful|conversiontools|convertapi|convertkit|convier|copper|couchbase|countrylayer|courier|coveralls|craftmypdf|crowdin|cryptocompare|currencycloud|currencyfreaks|currencylayer|currencyscoop|currentsapi|customerguru|customerio|d7network|dailyco|dandelion|databox|datadog|datafire|datagov|deepai|deepgram|deepseek|delighted|demio|deno|deputy|detectify|detectlanguage|dfuse|diffbot|diggernaut|digitalocean|discogs|discord|disqus|ditto|docparser|documo|docusign|doppler|dotdigital|dovico|dronahq|droneci|dropbox|duply|dwolla|dynadot|dyspatch|eagleeyenetworks|easyinsight|ecostruxureit|edamam|edenai|eightxeight|elasticemail|elevenlabs|enablex|endorlabs|enigma|envoy|eraser|etherscan|ethplorer|etsy|everhour|exchangerate|eventbrite|exportsdk|extractorapi|facebook|faceplusplus|fastforex|fastly|feedier|fetchrss|fibery|figma|fileio|filestack|finage|financialmodelingprep|findl|finnhub|finicity|fixerio|flatio|fleetbase|flickr|flightapi|flightlabs|flightstats|float|flowflu|flutterwave|fmfw|formbucket|formcraft|formio|formsite|foursquare|frameio|freshbooks|freshdesk|front|fulcrum|fullstory|fusebill|fxmarket|gemini|gengo|geoapify|geocode|geocodify|geocodio|geoipifi|getemail|getgeoapi|getgist|getresponse|getsandbox|gitter|glassnode|gocanvas|gocardless|goodday|graphcms|graphhopper|groovehq|gtmetrix|guardianapi|gumroad|guru|gyazo|happi|happyscribe|harvest|helpcrunch|helpscout|heroku|hereapi|hive|hiveage|holidayapi|holistic|honeycomb|host|html2pdf|huggingface|humanity|hunter|hybiscus|hypertrack|ibmclouduser|iconfinder|iexapis|iexcloud|imagekit|imagga|impala|insightly|instabot|instamojo|intercom|interseller|intra42|intrinio|invoiceocean|ip2location|ipapi|ipgeolocation|ipinfo|ipify|ipquality|ipstack|jdbc|jiratoken|jotform|jumpcloud|jupiterone|juro|kanban|kanbantool|karmacrm|keenio|kickbox|klaviyo|klipfolio|knapsackpro|kontent|kraken|kucoin|kylas|languagelayer|larksuite|launchdarkly|leadfeeder|lemlist|lendflow|lessannoyingcrm|lexigram|linenotify|linearapi|linkpreview|liveagent|livestorm|loadmill|lob|locationiq|loggly|loginradius|logzio|lokalise|loyverse|lunchmoney|luno|loops|madkudu|magicbell|magnetic|mailboxlayer|mailchimp|mailerlite|mailgun|mailjet|mailmodo|mailsac|mandrill|manifest|mapbox|mapquest|marketstack|mattermost|maxmind|meaningcloud|mediastack|meistertask|mercury|meraki|mesibo|messagebird|metaapi|metrilo|metabase|mindmeister|miro|mite|mixmax|mixpanel|mockaroo|moderation|monday|mongodb|monkeylearn|moonclerk|moosend|moralis|mrticktock|mux|myexperiment|myfreshworks|myintervals|nasdaq|nethunt|netlify|neutrino|newsapi|newscatcher|nexmo|nftport|ngc|ngrok|nicereply|nightfall|nimble|noticeable|notion|nozbe|numverify|nutritionix|nvapi|nylas|nytimes|oanda|okta|omnisend|onedesk|onelogin|onepagecrm|onesignal|onfleet|onwater|oopspam|opencage|opengraphr|openuv|openvpn|openweather|opsgenie|optimizely|overloop|owlbot|packagecloud|pagarme|pagerduty|pandadoc|pandascore|paperform|paralleldots|parsehub|parsers|parseur|partnerstack|pastebin|paydirtapp|paymo|paymongo|paypal|paystack|pdflayer|pdfshift|peopledatalabs|pepipost|percy|persona|phrase|pinata|pipedream|pipedrive|pivotaltracker|pixabay|plaid|planviewleankit|planyo|plivo|podio|pollsapi|polygon|poloniex|portainer|positionstack|postageapi|postbacks|posthog|postman|postmark|powrbot|privacy|prodpad|prospectcrm|prospectio|protocolsio|proxycrawl|pubnub|pulumi|purestake|pushbullet|pusher|qase|qualaroo|qubole|ramp|rapidapi|raven|rawg|razorpay|reachmail|readme|realtor|reallysimplesystems|rebrandly|rechargepayments|refiner|rentman|repairshopr|replicate|replyio|requestfinance|restpack|rev|revamp|ringcentral|ritekit|roaring|rocketreach|rockset|roninapp|route4me|rownd|runrunit|salesblink|salescookie|salesflare|salesforce|salesmate|sanity|satismeter|saucelabs|scalewaykey|scalr|scrapeowl|scraperapi|scraperbox|scrapestack|scrapfly|scrapingant|scrapingbee|screenshotapi|screenshotlayer|scrutinizer|securitytrails|segment|selectpdf|semaphore|sendbird|sendgrid|sendinblue|sentry|serpstack|serpapi|sheety|sherpadesk|shipday|shodan|shopify|shortcut|shotstack|shutterstock|shotgrid|sigopt|signable|signalwire|signaturit|signupgenius|sigparser|simfin|simplesat|simplybook|simvoly|sinch|sirv|siteleaf|skrappio|skybiometry|smartsheet|smartystreets|smooch|snipcart|snov|snyk|sonarcloud|sourcegraph|sparkpost|speechtext|splunkobservability|spoonacular|sportradar|sportsmonk|spotify|squareapp|squarespace|squareup|sslmate|stabilityai|statuscake|statuspage|statuspal|stitchdata|stockdata|storecove|stormboard|stormglass|storyblok|storychief|strava|streak|stripo|stytch|sugester|sumologic|supernotes|surge|survicate|surveyanyplace|surveybot|surveysparrow|swell|swiftype|tallyfy|tatum|taxjar|teamgate|teamwork|technicalanalysis|telegram|tefter|teletype|telesign|telnyx|testingbot|textmagic|theoddsapi|thinkific|thousandeyes|ticketmaster|ticktick|tiingo|timecamp|timezoneapi|tineswebhook|tmetric|todoist|toggltrack|tokeet|tomorrowio|tomtom|tradier|transferwise|travelpayouts|travisci|trello|trufflehog|turnitin|twelvedata|twilio|twist|twitch|twitter|tyntec|typeform|typetalk|ubidots|uclassify|unifyid|unplugg|unsplash|upcdatabase|uplead|uploadcare|uptimerobot|upwave|uri|urlscan|user|userflow|userstack|vagrantcloud|vatlayer|vbout|vercel|verifier|verimail|veriphone|versioneye|viewneo|virustotal|visualcrossing|voicegain|voodoosms|vouchery|vpnapi|vultr|vyte|wakatime|walkscore|weatherbit|weatherstack|web3|webex|webflow|webscraper|websitepulse|wepay|whoxy|wistia|wit|wiz|wordpress|workable|workday|workstack|worksnaps|worldcoinindex|worldweather|wrike|xai|yandex|yelp|youneedabudget|yousign|youtube|zapier|zendesk|zenrows|zenserp|zenkit|zenscrape|zerobounce|zerotier|zeplin|zipapi|zipbooks|zipcodeapi|zipcodebase|zohocrm|zonkafeedback|zulip';
const TRIGGER = new RegExp(`(?<![A-Za-z])(?:(${WORDS})|(${SERVICES}))(?![a-z])`, 'gi');
/** As far as people put between a name and a key. */
const REACH = 40;
/** A key-like word. */
const CANDIDATE = /[A-Za-z0-9][\w+/=.~|:@!-]{14,400}/g;
const JOINED =
  /^(?:[ \t]?(?:api|app|client|access|auth|user|account|secret)?[ _-]?(?:key|token|secret|id|sid|pat|password|credentials?|auth)s?\d{0,2})?[\s"'`:=({>|,-]{1,8}$/i;

/** Finds key-like strings near words that promise one. */
export function findNearby(scan: Scan): void {
  const { text } = scan;
  let covered = 0;
  TRIGGER.lastIndex = 0;
  for (let hit = TRIGGER.exec(text); hit !== null; hit = TRIGGER.exec(text)) {
    const from = hit.index + hit[0].length;
    if (from < covered) continue;
    const window = lineOf(text.slice(from, from + REACH + 400));
    scan.spend(window.length + hit[0].length);
    CANDIDATE.lastIndex = 0;
    for (
      let found = CANDIDATE.exec(window);
      found !== null && found.index <= REACH;
      found = CANDIDATE.exec(window)
    ) {
      const between = window.slice(0, found.index);
      const value = found[0].replace(/[.:=|,!-]+$/, '');
      if (!isKey(value, between, hit[2] !== undefined)) continue;
      const start = from + found.index;
      scan.found(start, start + value.length, 'key');
      covered = start + value.length;
      break;
    }
  }
}

const lineOf = (text: string): string => text.slice(0, new RegExp(`[\\n${BARRIER}]|$`).exec(text)?.index);

function isKey(value: string, between: string, service: boolean): boolean {
  const found = randomness(value);
  if (found === 'none' || value.length < 20) return false;
  // Ids and digests look like keys in hexadecimal, so the word must stand right before them.
  if (found !== 'random')
    return (
      JOINED.test(between) &&
      (service ? /["'`(]$/.test(between) || /key|token|secret|password/i.test(between) : true) &&
      !/\b(?:id|uid|uuid)\b/i.test(between)
    );
  return !/[/]/.test(value) && !value.includes(':') ? true : JOINED.test(between);
}

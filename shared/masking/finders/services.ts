// Services whose keys have no form of their own: random letters and digits, hexadecimal digits, a UUID. Names
// that logs of other systems are full of (github, docker, kafka) are left out.

/** Their names in lower case, sorted. */
export const SERVICES: readonly string[] = `
  abuseipdb abyssale accuweather adafruit adobe adzuna aeroworkflow airtable airvisual aiven alchemy
  alegra aletheia algolia alibaba alienvault allsports amadeus anypoint apacta apiflash apify apilayer
  apimatic apimetrics apitemplate appcues appfollow appointedd appoptics appsynergy artifactory asana
  assemblyai atera auth0 autodesk autoklose aviationstack axonaut
  bannerbear baremetrics beebole besnappy billomat bingsubscriptionkey bitbar bitbucket bitcoinaverage
  bitfinex bitly bitmex blablabus blazemeter blocknative bombbomb borgbase braintree branchio brandfetch
  braze browserstack browshot bscscan budibase bugherd bugsnag buildkite bulbul bulksms buttercms
  caflou calendarific calendly campayn cannyio capsulecrm captaindata carboninterface cashboard caspio
  censys centralstationcrm cexio chartmogul chatfule checio checklyhq checkvist circleci clarifai clearbit
  clickhelp clicksend clicksign clickup cliengo clinchpad clockify clockworksms cloudelements cloudflare
  cloudimage cloudmersive cloudplan cloudsmith cloverly clustdoc codacy codeclimate codecov codemagic
  codequiry coinapi coinbase coinlayer coinlib collect2 commercejs companyhub confluent contentful
  conversiontools convertapi convertkit convier couchbase countrylayer coveralls craftmypdf crowdin
  cryptocompare currencycloud currencyfreaks currencylayer currencyscoop currentsapi customerguru
  customerio
  d7network dailyco dandelion databox datadog datagov deepai deepgram deepseek deputy detectify
  detectlanguage dfuse diffbot diggernaut digitalocean discogs disqus docparser documo docusign doppler
  dotdigital dovico dronahq droneci dropbox duply dwolla dynadot dyspatch
  eagleeyenetworks easyinsight ecostruxureit edamam edenai eightxeight elasticemail elevenlabs enablex
  endorlabs etherscan ethplorer etsy eventbrite everhour exchangerate exportsdk extractorapi
  faceplusplus fastforex fastly feedier fetchrss fibery figma fileio filestack financialmodelingprep findl
  finicity finnhub fixerio flatio fleetbase flickr flightapi flightlabs flightstats flowflu flutterwave
  fmfw formbucket formcraft formio formsite foursquare frameio freshbooks freshdesk fusebill fxmarket
  gengo geoapify geocode geocodify geocodio geoipifi getemail getgeoapi getgist getresponse getsandbox
  gitter glassnode gocanvas gocardless goodday graphcms graphhopper groovehq gtmetrix guardianapi gumroad
  gyazo
  happyscribe helpcrunch helpscout hereapi heroku hiveage holidayapi honeycomb html2pdf huggingface hunter
  hybiscus hypertrack
  ibmclouduser iconfinder iexapis iexcloud imagekit imagga insightly instamojo intercom interseller
  intra42 intrinio invoiceocean ip2location ipapi ipgeolocation ipify ipinfo ipquality ipstack
  jiratoken jotform jumpcloud jupiterone
  kanbantool karmacrm keenio kickbox klaviyo klipfolio knapsackpro kraken kucoin kylas
  languagelayer larksuite launchdarkly leadfeeder lemlist lendflow lessannoyingcrm lexigram linearapi
  linenotify linkpreview liveagent livestorm loadmill lob locationiq loggly loginradius logzio lokalise
  loyverse lunchmoney luno
  madkudu mailboxlayer mailchimp mailerlite mailgun mailjet mailmodo mailsac mapbox mapquest marketstack
  mattermost maxmind meaningcloud mediastack meistertask mesibo messagebird metaapi metrilo mindmeister
  mixpanel mockaroo monkeylearn moonclerk moosend mrticktock myexperiment myfreshworks myintervals
  nasdaq nethunt netlify neutrino newsapi newscatcher nexmo nftport ngrok nicereply nightfall noticeable
  nozbe numverify nutritionix nvapi nylas nytimes
  oanda okta omnisend onedesk onelogin onepagecrm onesignal onfleet onwater oopspam opencage opengraphr
  openuv openvpn openweather opsgenie optimizely overloop owlbot
  packagecloud pagarme pagerduty pandadoc pandascore paperform paralleldots parsehub parseur partnerstack
  pastebin paydirtapp paymo paymongo paypal paystack pdflayer pdfshift peopledatalabs pepipost pinata
  pipedream pipedrive pivotaltracker pixabay plaid planviewleankit plivo pollsapi poloniex portainer
  positionstack postageapi posthog postman postmark powrbot prodpad prospectcrm prospectio protocolsio
  proxycrawl pubnub pulumi purestake pushbullet
  qualaroo qubole
  rapidapi rawg razorpay reachmail readme reallysimplesystems realtor rebrandly rechargepayments refiner
  rentman repairshopr replicate replyio requestfinance restpack revamp ringcentral ritekit roaring
  rocketreach rockset roninapp route4me rownd runrunit
  salesblink salescookie salesflare salesmate sanity satismeter saucelabs scalewaykey scalr scrapeowl
  scraperapi scraperbox scrapestack scrapfly scrapingant scrapingbee screenshotapi screenshotlayer
  scrutinizer securitytrails selectpdf sendbird sendgrid sendinblue serpapi serpstack sheety sherpadesk
  shipday shodan shopify shotgrid shotstack shutterstock signable signalwire signaturit signupgenius
  sigopt sigparser simfin simplesat simplybook simvoly sinch sirv siteleaf skrappio skybiometry smartsheet
  smartystreets smooch snipcart snyk sonarcloud sourcegraph sparkpost speechtext splunkobservability
  spoonacular sportradar sportsmonk spotify squareapp squarespace squareup sslmate stabilityai statuscake
  statuspage statuspal stockdata storecove stormboard stormglass storyblok storychief stripo stytch
  sugester sumologic supernotes surveyanyplace surveybot surveysparrow survicate swiftype
  tallyfy taxjar teamgate teamwork technicalanalysis tefter telegram telesign teletype telnyx testingbot
  textmagic theoddsapi thinkific thousandeyes ticketmaster ticktick tiingo timecamp timezoneapi
  tineswebhook tmetric todoist toggltrack tokeet tomorrowio tomtom tradier transferwise travelpayouts
  travisci trello trufflehog turnitin twelvedata twilio twitch tyntec typeform typetalk
  ubidots uclassify unifyid unplugg unsplash upcdatabase uplead uploadcare uptimerobot upwave urlscan
  userflow userstack
  vagrantcloud vatlayer vbout vercel verimail veriphone versioneye viewneo virustotal visualcrossing
  voicegain voodoosms vouchery vpnapi vultr vyte
  wakatime walkscore weatherbit weatherstack web3 webex webflow webscraper websitepulse wepay whoxy wistia
  wordpress workable worksnaps workstack worldcoinindex worldweather wrike
  xai
  yandex yelp youneedabudget yousign
  zapier zendesk zenkit zenrows zenscrape zenserp zeplin zerobounce zerotier zipapi zipbooks zipcodeapi
  zipcodebase zohocrm zonkafeedback zulip
`
  .trim()
  .split(/\s+/);

package manifest

import "strings"

// The packages that are well known to be imported by another name than their own, one a line:
// the package, and where its modules begin.
const (
	pythonModules = `
attrs = attr attrs
beautifulsoup4 = bs4
biopython = Bio
django-cors-headers = corsheaders
django-environ = environ
djangorestframework = rest_framework
faiss-cpu = faiss
gitpython = git
google-api-python-client = googleapiclient apiclient
grpcio = grpc
markdown-it-py = markdown_it
mysqlclient = MySQLdb
opencv-contrib-python = cv2
opencv-python = cv2
opencv-python-headless = cv2
pillow = PIL
protobuf = google.protobuf
psycopg2-binary = psycopg2
pycryptodome = Crypto
pyjwt = jwt
pynacl = nacl
pyopenssl = OpenSSL
pyserial = serial
pyyaml = yaml
pyzmq = zmq
scikit-image = skimage
scikit-learn = sklearn
setuptools = setuptools pkg_resources
tensorflow-cpu = tensorflow
websocket-client = websocket
`
	javaPackages = `
ch.qos.logback:logback-classic = ch.qos.logback.classic
ch.qos.logback:logback-core = ch.qos.logback.core
com.fasterxml.jackson.core:jackson-annotations = com.fasterxml.jackson.annotation
com.fasterxml.jackson.core:jackson-databind = com.fasterxml.jackson.databind
com.google.code.gson:gson = com.google.gson
com.google.guava:guava = com.google.common com.google.thirdparty
com.h2database:h2 = org.h2
com.mysql:mysql-connector-j = com.mysql
com.squareup.okhttp3 = okhttp3
com.squareup.okio = okio
com.squareup.retrofit2 = retrofit2
commons-cli:commons-cli = org.apache.commons.cli
commons-codec:commons-codec = org.apache.commons.codec
commons-io:commons-io = org.apache.commons.io
commons-lang:commons-lang = org.apache.commons.lang
commons-logging:commons-logging = org.apache.commons.logging
io.projectreactor:reactor-core = reactor
joda-time:joda-time = org.joda.time
junit:junit = org.junit junit
mysql:mysql-connector-java = com.mysql
org.apache.commons:commons-collections4 = org.apache.commons.collections4
org.apache.commons:commons-compress = org.apache.commons.compress
org.apache.commons:commons-csv = org.apache.commons.csv
org.apache.commons:commons-lang3 = org.apache.commons.lang3
org.apache.commons:commons-math3 = org.apache.commons.math3
org.apache.commons:commons-text = org.apache.commons.text
org.apache.httpcomponents.client5:httpclient5 = org.apache.hc.client5
org.apache.httpcomponents:httpclient = org.apache.http
org.hibernate.orm = org.hibernate
org.projectlombok:lombok = lombok
org.springframework.boot = org.springframework
`
	gemFiles = `
actioncable = action_cable
actionmailer = action_mailer
actionpack = action_pack action_controller action_dispatch abstract_controller
actionview = action_view
activejob = active_job
activemodel = active_model
activerecord = active_record
activestorage = active_storage
activesupport = active_support
concurrent-ruby = concurrent
ruby-openai = openai
rubyzip = zip
`
	phpNamespaces = `
aws/aws-sdk-php = Aws
fakerphp/faker = Faker
google/apiclient = Google Google_Client
guzzlehttp/guzzle = GuzzleHttp
guzzlehttp/promises = GuzzleHttp\Promise
laravel/framework = Illuminate
stripe/stripe-php = Stripe
`
)

// known returns where the modules of a package in a table begin, nil if it is not in it.
func known(table, name string) []string {
	_, rest, ok := strings.Cut(table, "\n"+name+" = ")
	if !ok {
		return nil
	}
	modules, _, _ := strings.Cut(rest, "\n")
	return strings.Fields(modules)
}

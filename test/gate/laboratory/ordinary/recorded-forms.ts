// How clients write multipart/form-data by default: the type, the head of a field and the head of a file. `source` names what says so.
export interface RecordedForm {
  readonly client: string;
  readonly source: string;
  readonly type: string;
  readonly boundary: string;
  /** NAME stands for the name of the field. */
  readonly field: string;
  /** NAME and FILENAME likewise. */
  readonly file: string;
  /** What follows the last boundary. */
  readonly end?: string;
  /** What precedes the first boundary. */
  readonly start?: string;
  /** Fields are ASCII alone: the head says another charset. */
  readonly isAscii?: boolean;
}

const FORM_DATA = "multipart/form-data";
const FIELD = 'Content-Disposition: form-data; name="NAME"';
const FILE = `${FIELD}; filename="FILENAME"`;

function form(client: string, source: string, boundary: string, rest: Partial<RecordedForm> = {}): RecordedForm {
  return {
    client,
    source,
    boundary,
    type: `${FORM_DATA}; boundary=${boundary}`,
    field: FIELD,
    file: `${FILE}\r\nContent-Type: image/jpeg`,
    ...rest,
  };
}

const guid = "5c0a1fb8-6d3e-4f0b-9a6e-2f6b0d1c7e55";
const dart = "dart-http-boundary-1aB'()+_,-./:=?2cD";

export const RECORDED_FORMS: readonly RecordedForm[] = [
  form(
    "Chrome, Edge, Safari",
    "WebKit's FormDataBuilder, and the HTML standard",
    "----WebKitFormBoundary7MA4YWxkTrZu0gW",
  ),
  form("Firefox", "HTMLFormSubmission", "----geckoformboundary8d2c5e1f7a90b3c4d5e6f7a8b9c0d1e2"),
  form("Firefox before 130", "HTMLFormSubmission", "---------------------------264141203718551232481024358920"),
  form(".NET HttpClient", "MultipartFormDataContent", guid, {
    type: `${FORM_DATA}; boundary="${guid}"`,
    field: "Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=NAME",
    file: "Content-Disposition: form-data; name=NAME; filename=FILENAME; filename*=utf-8''FILENAME",
  }),
  form(".NET HttpClient, a file with an apostrophe", "MultipartFormDataContent quotes only what is no token", guid, {
    type: `${FORM_DATA}; boundary="${guid}"`,
    field: "Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=NAME",
    file: "Content-Disposition: form-data; name=NAME; filename=Anna's-FILENAME; filename*=utf-8''Anna%27s-FILENAME",
  }),
  form(".NET Refit, RestSharp", "MultipartFormDataContent with a type of the file", guid, {
    type: `${FORM_DATA}; boundary="${guid}"`,
    field: 'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name="NAME"',
    file: 'Content-Type: image/jpeg\r\nContent-Disposition: form-data; name="NAME"; filename="FILENAME"',
  }),
  form(".NET Framework, HttpWebRequest", "a common sample, which begins each boundary with a line end", guid, {
    file: `${FILE}\r\nContent-Type: image/jpeg`,
    start: "\r\n",
  }),
  form("Java, HttpURLConnection", "a common sample for Android", "*****", {
    type: `${FORM_DATA};boundary=*****`,
    file: 'Content-Disposition: form-data; name="NAME";filename="FILENAME"',
  }),
  form("Python requests", "urllib3.filepost", "8f0c2d9b7ac34e3e8a4fb1d6c50f1e27", { file: FILE }),
  form("Python httpx", "httpx._multipart", "9d1c1c9a7b2e4f60a1b2c3d4e5f60718"),
  form("Python aiohttp", "aiohttp.multipart", "b0a3c5d7e9f1426e8a0b1c2d3e4f5061", {
    field: `Content-Type: text/plain; charset=utf-8\r\n${FIELD}`,
    file: `Content-Type: image/jpeg\r\n${FILE}`,
  }),
  form("curl", "lib/mime.c", "------------------------d74496d66958873e"),
  form("Go net/http", "mime/multipart.Writer", "0b5a3d7c9e1f2a4b6c8d0e1f3a5b7c9d2e4f6a8b0c1d3e5f7a9b1c2d3e4f", {
    file: `${FILE}\r\nContent-Type: application/octet-stream`,
  }),
  form("Java, OkHttp 4", "okhttp3.MultipartBody", guid, {
    field: `${FIELD}\r\nContent-Length: LENGTH`,
    file: `${FILE}\r\nContent-Type: image/jpeg\r\nContent-Length: LENGTH`,
  }),
  form("Java, Retrofit", "retrofit2.RequestBuilder with a converter", guid, {
    field: `${FIELD}\r\nContent-Transfer-Encoding: binary\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Length: LENGTH`,
  }),
  form("Java, Apache HttpClient 4", "MultipartEntityBuilder, strict", "AbC0dEf1-GhI2jKl3_MnO4pQr5StU6vWx7", {
    field: `${FIELD}\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit`,
    file: `${FILE}\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary`,
    isAscii: true,
  }),
  form(
    "Java, Apache HttpClient with a charset",
    "MultipartEntityBuilder.setCharset",
    "AbC0dEf1-GhI2jKl3_MnO4pQr5StU6vWx7",
    {
      type: `${FORM_DATA}; boundary=AbC0dEf1-GhI2jKl3_MnO4pQr5StU6vWx7; charset=UTF-8`,
      field: `${FIELD}\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: 8bit`,
    },
  ),
  form("Java, Spring RestTemplate", "FormHttpMessageConverter", "Kq3mZp0vXw9sLr2tYb7nHc4d", {
    type: `${FORM_DATA};charset=UTF-8;boundary=Kq3mZp0vXw9sLr2tYb7nHc4d`,
    field: `${FIELD}\r\nContent-Type: text/plain;charset=UTF-8\r\nContent-Length: LENGTH`,
    file: `${FILE}\r\nContent-Type: image/jpeg\r\nContent-Length: LENGTH`,
  }),
  form("PHP Guzzle", "GuzzleHttp/Psr7/MultipartStream", "4e1f0c9d7b3a5e6f8091a2b3c4d5e6f708192a3b", {
    field: `${FIELD}\r\nContent-Length: LENGTH`,
    file: `${FILE}\r\nContent-Length: LENGTH\r\nContent-Type: image/jpeg`,
  }),
  form("Ruby Faraday", "multipart-post", "-----------RubyMultipartPost-2f6b0d1c7e555c0a1fb86d3e4f0b9a6e", {
    file: `${FILE}\r\nContent-Length: LENGTH\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: binary`,
    end: "\r\n",
  }),
  form("Dart http", "package:http/src/multipart_request.dart", dart.replaceAll(/[^\w.+-]/g, ""), {
    field:
      'content-disposition: form-data; name="NAME"\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-transfer-encoding: binary',
    file: 'content-type: image/jpeg\r\ncontent-disposition: form-data; name="NAME"; filename="FILENAME"',
  }),
  form("Swift Alamofire", "MultipartFormData", "alamofire.boundary.2f6b0d1c7e555c0a"),
  form("Postman", "form-data of npm", "--------------------------264141203718551232481024"),
  form("Perl LWP", "HTTP::Request::Common", "xYzZY", { type: `${FORM_DATA}; boundary=xYzZY` }),
];

/** Names of files that a provider reads with the rights of the server's key, and addresses that anybody may read. */

/** As the providers' pages write them: Bedrock's `s3Location`, Vertex's `fileUri`, Gemini's Files API. */
export const accountFiles: readonly string[] = [
  's3://company/salaries.pdf',
  'S3://company/salaries.pdf',
  'gs://company/salaries.pdf',
  ' gs://company/salaries.pdf',
  'file:///etc/passwd',
  'files/of-another-user',
  'https://generativelanguage.googleapis.com/v1beta/files/abc',
  'HTTPS://GenerativeLanguage.GoogleAPIs.com./v1beta/files/abc',
  'https://generativelanguage.googleapis.com:443/v1beta/files/abc',
  'https://user@generativelanguage.googleapis.com/v1beta/files/abc',
  'https://generativelanguage%2egoogleapis.com/v1beta/files/abc',
  'https:\\\\generativelanguage.googleapis.com\\v1beta\\files\\abc',
]

export const publicFiles: readonly string[] = [
  'https://docs.example/a.pdf',
  'http://docs.example/a.pdf',
  'data:application/pdf;base64,AAAA',
]

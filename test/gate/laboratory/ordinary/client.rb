# Sends what Ruby's net/http sends by default, and prints each response: status and text.
require "json"
require "net/http"
require "stringio"

base = ARGV.fetch(0)
FIELDS = { "comment" => "Grüße & 3 < 4", "user[role]" => "guest", "amount" => "12.50" }

def send_to(uri, request)
  response = Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }
  [response.code.to_i, response.body]
end

uri = URI(base)
query = URI(base + "?" + URI.encode_www_form(FIELDS))
get = Net::HTTP::Get.new(query, { "Cookie" => "session=abc; theme=dark" })
form = Net::HTTP::Post.new(uri)
form.set_form_data(FIELDS)
multipart = Net::HTTP::Post.new(uri)
photo = ["photo", StringIO.new("\xff\xd8\xff\0".b), { filename: "receipt.jpg", content_type: "image/jpeg" }]
multipart.set_form([*FIELDS.to_a, photo], "multipart/form-data")
json = Net::HTTP::Post.new(uri, { "Content-Type" => "application/json" })
json.body = JSON.generate(FIELDS)
puts JSON.generate([send_to(query, get), send_to(uri, form), send_to(uri, multipart), send_to(uri, json)])

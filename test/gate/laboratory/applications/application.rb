# Tells what Rack reads of a request: query, form, uploads, cookies and headers, and the body as JSON and XML.
require "json"
require "rack"
require "rexml/document"
require "webrick"

class Readings
  attr_reader :all

  def initialize
    @all = []
  end

  def add(kind, path, value)
    @all << [kind, *[path.join("."), value].map { |text| [text.to_s.b].pack("m0") }, number_of(value.to_s)]
  end

  # JSON has no infinity.
  def number_of(text)
    number = Float(text, exception: false)
    number&.clamp(-1e300, 1e300)
  rescue ArgumentError
    nil
  end

  # In forms a number in the place of a name may be the place in a list.
  def walk(kind, path, value, form: true)
    case value
    when Hash
      return add_file(path, value) if form && value[:tempfile]
      value.each do |key, inner|
        walk(kind, path, inner, form: form) if form && !path.empty? && key =~ /\A\d+\z/
        walk(kind, [*path, key], inner, form: form)
      end
    when Array then value.each { |inner| walk(kind, path, inner, form: form) }
    else add(kind, path, value)
    end
  end

  def add_file(path, file)
    add("body", [*path, "filename"], file[:filename])
    content = file[:tempfile].read.to_s.force_encoding("UTF-8")
    add("body", path, content) if content.valid_encoding? && !content.include?("\0")
  end

  def add_xml(path, element)
    path = [*path, element.name]
    element.attributes.each_attribute { |one| add("body", [*path, "@" + one.name], one.value) }
    element.each_child do |child|
      case child
      when REXML::Element then add_xml(path, child)
      when REXML::Text then add("body", path, child.value)
      end
    end
  end
end

def attempt
  yield
rescue StandardError
  nil
end

application = lambda do |env|
  readings = Readings.new
  request = Rack::Request.new(env)
  env.each { |name, value| readings.add("header", [name[5..].downcase.tr("_", "-")], value) if name.start_with?("HTTP_") }
  attempt { readings.walk("query", [], request.GET) }
  attempt { readings.walk("cookie", [], request.cookies) }
  attempt { readings.walk("body", [], request.POST) }
  request.body.rewind
  body = request.body.read
  attempt { readings.walk("body", [], JSON.parse(body), form: false) }
  # Its type says so, or it looks like XML: this parser finds elements behind other text.
  if request.content_type.to_s.match?(/\bxml\b/i) || body.b.match?(/\A(?:\xEF\xBB\xBF)?\s*</n)
    attempt { root = REXML::Document.new(body).root and readings.add_xml([], root) }
  end
  [200, { "content-type" => "application/json" }, [JSON.generate(readings.all)]]
end

Rack::Handler::WEBrick.run(
  application,
  Host: "127.0.0.1", Port: Integer(ARGV.fetch(0)), DoNotReverseLookup: true,
  Logger: WEBrick::Log.new(File::NULL), AccessLog: [],
)

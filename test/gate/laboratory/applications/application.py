"""Tells what Django reads of a request: query, form, uploads, cookies and headers, and the body as JSON and XML."""
import base64
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import re_path

settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="laboratory", MIDDLEWARE=[], LOGGING_CONFIG=None)


def encode(text):
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape" if is_escaped(text) else "replace")
    return base64.b64encode(data).decode()


def is_escaped(text):
    return any("\udc80" <= character <= "\udcff" for character in text)


def number_of(value):
    try:
        number = float(value)
    except ValueError:
        return None
    # JSON has no infinity.
    return max(-1e300, min(number, 1e300)) if number == number else None


class Readings:
    def __init__(self):
        self.all = []

    def add(self, kind, path, value):
        self.all.append([kind, encode(".".join(path)), encode(value), number_of(value)])

    def add_json(self, path, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                self.add_json([*path, key], inner)
        elif isinstance(value, list):
            for inner in value:
                self.add_json(path, inner)
        elif isinstance(value, bool) or value is None:
            self.add("body", path, json.dumps(value))
        elif isinstance(value, (int, float)):
            self.add("body", path, repr(value))
        else:
            self.add("body", path, value)

    def add_xml(self, path, element):
        path = [*path, local(element.tag)]
        for name, value in element.attrib.items():
            self.add("body", [*path, "@" + local(name)], value)
        self.add("body", path, element.text or "")
        for inner in element:
            self.add_xml(path, inner)
            self.add("body", path, inner.tail or "")

    def add_file(self, name, upload):
        self.add("body", [name, "filename"], upload.name)
        content = upload.read()
        try:
            if "\0" not in content.decode():
                self.add("body", [name], content)
        except UnicodeDecodeError:
            pass  # No text.


def local(name):
    return re.sub(r"^\{[^}]*\}", "", name)


def view(request):
    readings = Readings()
    for key, value in request.META.items():
        if key.startswith("HTTP_"):
            # WSGI gives the bytes as Latin-1.
            readings.add("header", [key[5:].lower().replace("_", "-")], value.encode("latin-1"))
    for name, values in request.GET.lists():
        for value in values:
            readings.add("query", [name], value)
    for name, value in request.COOKIES.items():
        readings.add("cookie", [name], value)
    body = request.body
    try:
        for name, values in request.POST.lists():
            for value in values:
                readings.add("body", [name], value)
        for name, uploads in request.FILES.lists():
            for upload in uploads:
                readings.add_file(name, upload)
    except Exception:
        pass  # It answers 400.
    try:
        readings.add_json([], json.loads(body))
    except (ValueError, RecursionError):
        pass
    try:
        readings.add_xml([], ElementTree.fromstring(body))
    except (ElementTree.ParseError, ValueError, LookupError):
        pass
    return JsonResponse(readings.all, safe=False)


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


urlpatterns = [re_path("", view)]
django.setup()
make_server("127.0.0.1", int(sys.argv[1]), get_wsgi_application(), handler_class=QuietHandler).serve_forever()

"""Sends what Python's standard library sends by default, and prints each response: status and text."""
import json
import sys
import urllib.parse
import urllib.request

base = sys.argv[1]
FIELDS = {"comment": "Grüße & 3 < 4", "user[role]": "guest", "amount": "12.50"}


def send(target, data=None, headers={}):
    request = urllib.request.Request(base + target, data=data, headers=headers)
    with urllib.request.urlopen(request) as response:
        return [response.status, response.read().decode()]


print(json.dumps([
    send("?" + urllib.parse.urlencode(FIELDS), headers={"Cookie": "session=abc; theme=dark"}),
    send("", urllib.parse.urlencode(FIELDS).encode()),
    send("", json.dumps(FIELDS).encode(), {"Content-Type": "application/json"}),
]))

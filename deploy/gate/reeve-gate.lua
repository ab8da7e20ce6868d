-- Asks Reeve's gate about a request. Used by haproxy.cfg: http-request lua.reeve_check 127.0.0.1:4080
-- A refusal is answered as the gate answers it; without an answer of the gate the request is refused with 503.

-- HAProxy tries four times, so that a gate that hangs is given up after 5 seconds.
local TIMEOUT_MS = 1250

-- HAProxy takes a hundred headers, and 2.6 crashes when its client for Lua, which adds some, is given nearly as many.
local MAX_HEADERS = 80

-- Headers of the connection to the gate itself.
local NOT_PASSED = {
  ["connection"] = true, ["content-length"] = true, ["transfer-encoding"] = true, ["upgrade"] = true, ["expect"] = true,
  ["te"] = true, ["trailer"] = true, ["keep-alive"] = true, ["proxy-connection"] = true,
  ["x-original-uri"] = true, ["x-original-method"] = true, ["x-reeve-decision"] = true,
}

-- HAProxy counts values from 0.
local function list(values)
  local found = {}
  for _, value in pairs(values) do found[#found + 1] = value end
  return found
end

local function reply(txn, status, headers, body)
  local response = txn:reply({ status = status })
  for name, values in pairs(headers) do
    if not NOT_PASSED[name] then
      for _, value in ipairs(list(values)) do response:add_header(name, value) end
    end
  end
  if headers["x-reeve-decision"] then response:add_header("x-reeve-decision", list(headers["x-reeve-decision"])[1]) end
  if body ~= nil then response:set_body(body) end
  txn:done(response)
end

core.register_action("reeve_check", { "http-req" }, function(txn, gate)
  local headers, count = {}, 0
  for name, values in pairs(txn.http:req_get_headers()) do
    local found = list(values)
    count = count + #found
    if not NOT_PASSED[name] then headers[name] = found end
  end
  if count > MAX_HEADERS then return reply(txn, 431, {}, "Expected at most " .. MAX_HEADERS .. " headers.\n") end
  headers["x-forwarded-method"] = { txn.f:method() }
  headers["x-forwarded-uri"] = { txn.f:pathq() }
  local response = core.httpclient():get({
    url = "http://" .. gate .. "/.well-known/reeve/check",
    headers = headers,
    timeout = TIMEOUT_MS,
  })
  local is_answer = response ~= nil and response.status ~= 0 and (response.status < 502 or response.headers["x-reeve-decision"] ~= nil)
  if not is_answer then
    core.Warning("reeve: the gate does not answer")
    return reply(txn, 503, { ["retry-after"] = { "5" } }, "The gate does not answer. Try again later.\n")
  end
  if response.status == 204 then
    txn.http:req_set_header("x-reeve-decision", list(response.headers["x-reeve-decision"])[1])
    return
  end
  return reply(txn, response.status, response.headers, response.body)
end, 1)

-- What wrk sends, and how every reply is checked. Settings come from load.ts through the environment. The result is one line of JSON.

local shortest = tonumber(os.getenv("LOAD_SHORTEST"))
local longest = tonumber(os.getenv("LOAD_LONGEST"))
local marker = os.getenv("LOAD_MARKER")
local tail = 8192

wrk.method = "POST"
wrk.body = os.getenv("LOAD_BODY")
wrk.headers["Content-Type"] = "application/json"
for line in string.gmatch(os.getenv("LOAD_HEADERS"), "[^\n]+") do
  local name, value = string.match(line, "^([^:]+): (.*)$")
  wrk.headers[name] = value
end

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init()
  good, bad, bytes, complaint = 0, 0, 0, ""
end

function response(status, headers, body)
  local length = #body
  if status == 200 and length >= shortest and length <= longest and string.find(body, marker, -math.min(tail, length), true) then
    good = good + 1
    bytes = bytes + length
  else
    bad = bad + 1
    if complaint == "" then
      complaint = "status " .. status .. ", " .. length .. " bytes, ends with " .. string.sub(body, -60)
    end
  end
end

function done(summary, latency)
  local good, bad, bytes, complaint = 0, 0, 0, ""
  for _, thread in ipairs(threads) do
    good = good + thread:get("good")
    bad = bad + thread:get("bad")
    bytes = bytes + thread:get("bytes")
    if complaint == "" then complaint = thread:get("complaint") end
  end
  local errors = summary.errors
  io.write(string.format(
    '\nLOAD {"durationMs":%.3f,"good":%d,"bad":%d,"bytes":%.0f,"p50Ms":%.3f,"p99Ms":%.3f,"maxMs":%.3f,"socketErrors":%d,"complaint":"%s"}\n',
    summary.duration / 1000, good, bad, bytes, latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000,
    errors.connect + errors.read + errors.write + errors.timeout, string.gsub(complaint, '[%c"\\]', " ")))
end

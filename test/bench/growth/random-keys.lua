-- Requests of random ones of the objects of `small-objects.ts`; arguments: size in bytes, how many there are, a seed.
local size, count = 0, 0

function init(args)
  size, count = tonumber(args[1]), tonumber(args[2])
  math.randomseed(tonumber(args[3]))
end

function request()
  local index = math.random(0, count - 1)
  return string.format(
    "GET /bench/%d/folder-%d/object-%d.bin HTTP/1.1\r\nHost: bench\r\n\r\n", size, index % 1000, index)
end

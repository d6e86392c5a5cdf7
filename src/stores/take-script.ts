/**
 * The one script by which a limit is decided and counted on Redis.
 *
 * Ours, because no library's holds the promise of `rateLimit()`. rate-limiter-flexible counts fixed windows of whole seconds, so twice
 * the limit can pass around their border, and a refused request counts too. The sliding window of @upstash/ratelimit takes the starts
 * of the last window as spread evenly, with the same result, lets a weight pass the limit, and goes by the clock of each process.
 *
 * Time is Redis's own, in microseconds. It needs Redis 5 or later, and touches one key, so it runs on a cluster.
 */
export const TAKE: string = `
local limit, interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local weight, ahead = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if burst > 0 then
  -- How full a bucket is that leaks one in each step, and when that was.
  local step = interval / limit
  local state = redis.call('HMGET', KEYS[1], 'level', 'at')
  local at = math.max(now, tonumber(state[2] or now))
  local level = math.max(0, tonumber(state[1] or 0) - (at - tonumber(state[2] or at)) / step)
  local wait = (level + ahead + weight - burst) * step
  local allowed = wait < 1
  if allowed then
    level = level + weight
    redis.call('HSET', KEYS[1], 'level', string.format('%.17g', level), 'at', string.format('%.0f', at))
    redis.call('PEXPIRE', KEYS[1], math.ceil(level * step / 1000))
    wait = 0
  end
  return {allowed and 1 or 0, math.max(0, math.floor(burst - level + 1e-6)), math.ceil(level * step), math.ceil(wait), now}
end

-- A log of the starts that still count.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - interval)
local used = redis.call('ZCARD', KEYS[1])
-- The n-th start has to wait for the end of the one limit places before it; every limit ahead of it cost one interval.
local before = ahead + weight - 1
local place = used + before % limit - limit
local wait = math.floor(before / limit) * interval
if place >= 0 then
  wait = wait + redis.call('ZRANGE', KEYS[1], place, place, 'WITHSCORES')[2] + interval - now
end
local allowed = wait <= 0
if allowed then
  for count = 1, weight do
    redis.call('ZADD', KEYS[1], now, string.format('%.0f:%d', now, used + count))
  end
  redis.call('PEXPIRE', KEYS[1], math.ceil(interval / 1000))
  used = used + weight
end
local reset = 0
if used > 0 then
  reset = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2] + interval - now
end
return {allowed and 1 or 0, math.max(0, limit - used), reset, math.ceil(wait), now}
`;

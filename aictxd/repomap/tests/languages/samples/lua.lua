local json = require("cjson")
local M = {}
-- Most.
local LIMIT = 10

--- Adds two. More.
-- @param a first
function M.add(a, b)
  local function nested() end
  return a + b
end

function M:method(x) end
local function helper() end
function global_function() end
M.assigned = function(x) end
local lambda = function() end
M.table = {
  key = function() end,
}
return M

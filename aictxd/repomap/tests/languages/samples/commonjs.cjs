'use strict';
var util = require('util')
var one = 1;
function two() {}
var three = function () {};
module.exports = {
  two,
  four: function () {},
  five() {},
};

(function ($) {
  var options = { a: 1 };
  // Hello.
  function Plugin(el) {
    function local() {}
  }
  Plugin.prototype.start = function () {};
  var go = function () {};
  $.fn.plugin = function () {};
})(jQuery);

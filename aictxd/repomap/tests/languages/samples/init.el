;; Settings.
(defvar my-limit 10)
(defun my-add (a b)
  "Adds."
  (+ a b))
(defmacro my-unless (c) c)

(ns app.core
  (:require [clojure.string :as str]))

(def limit 10)
;; Adds.
(defn add
  "Adds two."
  [a b]
  (+ a b))
(defn- hidden? [x] x)
(defmacro unless [a b] `(if ~a nil ~b))
(defprotocol Shape (area [this]))
(defrecord Circle [r])
(deftest adds (is (= 3 (add 1 2))))

// Licence.

import fs, { readFile } from "node:fs";
import "./side";
export * from './all';
const path = require('path');
const { join } = require("path").posix;

/** Adds two numbers. And more. */
export function add(a, b) {
  function inner() {}
  return a + b;
}

export default class Widget extends Base {
  static count = 0;
  handler = (event) => {
    return 1;
  };
  #secret() {}
  /** Makes it. */
  constructor(x) { super(); }
  static create() {}
  get size() { return 1; }
  async *items() {}
  'quoted name'() {}
}

// Arrow.
export const arrow = async (a) => a;
const expression = function named(x) { return x; };
function* generator() {}
async function later() {}
export const LIMIT = 10, OTHER = 20;
let state = {};
var legacy;

export const { useA, useB } = api;

const api2 = {
  /** Gets. */
  get(url) { return url; },
  post: function (url) {},
  put: (url) => url,
  nested: {
    deep() {},
  },
  data: [1, 2],
};

const Memo = React.memo((props) => {
  return <div {...props} />;
});

function Component({ a }) {
  return <p>{a}</p>;
}

class Private {
  method() {}
}

const Anonymous = class { run() {} *[Symbol.iterator]() {} [made()]() {} };

export { later, Component as Other };

Widget.prototype.extra = function (x) {};
Widget.helper = () => 1;
exports.old = function () {};
module.exports.older = class Older { go() {} };
window.thing = function () {};

describe("Widget", () => {
  beforeEach(() => {});
  const helper = () => 1;
  it('is made', async () => {
    const local = 1;
  });
  describe.each([1])(`nested %s`, () => {
    test.skip("inner", function () {});
  });
});
test("free", () => {});

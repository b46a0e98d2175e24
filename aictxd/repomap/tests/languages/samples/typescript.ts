import type { A } from "./types";
import x = require("./x");
export { B } from "./b";

/** A point. */
export interface Point<T> extends Base {
  x: number;
  /** Moves it. */
  move(by: number): void;
  move(by: string): void;
  readonly call: () => void;
}

export type Pair = [number, number];

export enum Colour {
  Red,
  Green = "green",
}
const enum Small { One }

@Component({ selector: "app" })
export abstract class Shape<T> implements Point<T> {
  private hidden = 1;
  public handler = (e: Event): void => {};
  constructor(private readonly a: string) { super(); }
  abstract area(): number;
  protected static of<U>(u: U): Shape<U> { return null!; }
  @Input()
  get size(): number { return 1; }
  private secret() {}
  over(a: string): void;
  over(a: number): void;
  over(a: any) {}
}

export function parse(text: string): number;
export function parse(text: Buffer): number;
/** The one. */
export function parse(text: any): number {
  return 1;
}

declare function ambient(a: string): void;
declare const VERSION: string;
declare module "virtual:thing" {
  export function inside(): void;
}
declare global {
  interface Window { a: string }
}

export namespace Util {
  export const helper = (a: string) => a;
  function hidden() {}
  export namespace Deep { export type X = string }
}

export const arrow = <T,>(a: T): T => a;
export const config = { run() {}, value: 1 } as const;
const store = defineStore("main", { actions: { load() {} } });
export default function main() {}
function generic<T>(this: Window, a: T): asserts a is T {}

import { assertEquals } from "@std/assert";
import { lettered, withLetters } from "../../../../tools/build/letters.ts";

Deno.test("locals get other letters; members, names from outside and longer ones stay", () => {
  const cases: readonly (readonly [text: string, letters: string, expected: string])[] = [
    ["function f(a,b){return a.b+b}", "xy", "function f(x,y){return x.b+y}"],
    ["function f(a,b){return a+b}", "ba", "function f(b,a){return b+a}"],
    ["function f(a){return c(a,{a:a,b})}", "x", "function f(x){return c(x,{a:x,b})}"],
    ["function f({a:b,c=d},[e],...g){}", "xyz", "function f({a:x,c=d},[y],...z){}"],
    ["var f=(a=>b=>a(b));", "ba", "var f=(b=>a=>b(a));"],
    ["function f(a=b){let b=a;return()=>b}", "x", "function f(x=b){let b=x;return()=>b}"],
    [
      "function f(){a:for(let a of b){let c=a;break a}var d}",
      "xyz",
      "function f(){a:for(let x of b){let y=x;break a}var z}",
    ],
    ["function f(){try{var a=1}catch(b){a=b}}", "xy", "function f(){try{var x=1}catch(y){x=y}}"],
    [
      "function f(a){switch(a){case 1:let b=2;return b}}",
      "xy",
      "function f(x){switch(x){case 1:let y=2;return y}}",
    ],
    [
      "function f(){if(a){function b(){}}let c=function d(){d(c)}}",
      "xyz",
      "function f(){if(a){function x(){}}let y=function z(){z(y)}}",
    ],
    ["function f(ab,c){return ab?.c??`${c}`}", "x", "function f(ab,x){return ab?.c??`${x}`}"],
    [
      "function f(a){return class{[a]=a;#a=1;a(){return this.#a}}}",
      "x",
      "function f(x){return class{[x]=x;#a=1;a(){return this.#a}}}",
    ],
  ];
  for (const [text, letters, expected] of cases) {
    assertEquals(withLetters(lettered(text), letters), expected);
    assertEquals(withLetters(lettered(text)), text);
  }
});

Deno.test("letters that do not fit a function leave it as it is", () => {
  const text = "function f(a,b){return a+b+c}";
  for (const letters of ["x", "xyz", "xx", "xc", "fx"]) {
    assertEquals(withLetters(lettered(text), letters), text, letters);
  }
  assertEquals(withLetters(lettered(text), "xy"), "function f(x,y){return x+y+c}");
});

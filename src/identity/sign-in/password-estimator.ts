// The library that estimates how hard a password is to guess, with its dictionaries. They take 0.1 s and 30 MB, so a module that needs this
// file imports it when there is a password to judge. The imports are static: a bundler finds no names in a package of CommonJS that
// is imported dynamically.
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";

/** `bounds` keep the time of an estimate small. */
export function createEstimator(bounds: { readonly maxLength: number; readonly l33tMaxSubstitutions: number }) {
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, ...bounds });
}

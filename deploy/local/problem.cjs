'use strict';

/** What the person at the terminal can act upon: shown as it is, without a stack. */
class Problem extends Error {}

module.exports = { Problem };

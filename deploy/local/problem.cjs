'use strict';

/** An error that the person at the terminal can act upon: printed without a stack. */
class Problem extends Error {}

module.exports = { Problem };

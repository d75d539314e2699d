/**
 * The dispatchers of undici, by their own files. Its main module also loads fetch, WebSocket and caches, and Node's copy of
 * them: 40 ms of a start.
 */
/// <reference path="./undici-files.d.ts" />
import api from "undici/lib/api/index.js";
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import Pool from "undici/lib/dispatcher/pool.js";

Object.assign(Dispatcher.prototype, api); // `request` and others: the main module does it

export { buildConnector, Client, Pool };

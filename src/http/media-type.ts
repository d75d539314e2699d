/** Whether a client asks for a page, as browsers do. */
export const wantsHtml = (accept = ""): boolean => /\btext\/html\b/i.test(accept);

/** The names and texts of the demo data. */

export const firstNames: readonly string[] = [
  "Ana",
  "Liam",
  "Mei",
  "Omar",
  "Sofia",
  "Juan",
  "Hannah",
  "Kofi",
  "Priya",
  "Lucas",
  "Elena",
  "Diego",
  "Fatima",
  "Jan",
  "Yuki",
  "Nina",
  "Samuel",
  "Leila",
  "Mateo",
  "Ingrid",
  "Tariq",
  "Clara",
  "Andre",
  "Zofia",
  "Ravi",
  "Emma",
  "Hugo",
  "Amina",
  "Oskar",
  "Bianca",
];
export const lastNames: readonly string[] = [
  "Lindqvist",
  "Okafor",
  "Tanaka",
  "Rossi",
  "Fernandez",
  "Novak",
  "Haddad",
  "Schmidt",
  "Andersen",
  "Kowalska",
  "Silva",
  "Moreau",
  "Banerjee",
  "Ivanova",
  "Jansen",
  "Mensah",
  "Ortiz",
  "Keller",
  "Nguyen",
  "Hansen",
  "Costa",
  "Dubois",
  "Santos",
  "Varga",
  "Sharma",
  "Byrne",
  "Laurent",
  "Petrov",
];
export const companies: readonly string[] = [
  "Nordlicht Logistics",
  "Blue Canal Studio",
  "Verde Foods",
  "Atlas Cycling",
  "Kite & Anchor",
  "Summit Labs",
  "Orange Grove School",
  "Granite Works",
  "Tallinn Print House",
  "Riverbank Hotel",
];
export const agentNames = {
  ai: ["Order Assistant", "Booking Assistant", "Returns Assistant"],
  human: [
    "Grace Osei",
    "Milan Horvat",
    "Ines Carvalho",
    "Daniel Roth",
    "Aiko Mori",
    "Bram de Vries",
    "Salma Aziz",
  ],
} as const;
export const skills: readonly string[] = [
  "orders",
  "shipping",
  "returns",
  "billing",
  "bookings",
  "products",
  "complaints",
];
export const tags: readonly string[] = [
  "vip",
  "shipping",
  "refund",
  "newsletter",
  "wholesale",
  "feedback",
  "urgent-order",
];

/** Topics of conversations: the subject, the contact's opening, the contact's questions and the agent's answers. */
export const topics: readonly {
  subject: string;
  opening: string;
  questions: readonly string[];
  answers: readonly string[];
}[] = [
  {
    subject: "Where is my order?",
    opening: "Hi, my order has not arrived yet. Can you check?",
    questions: ["It says shipped since Monday.", "When will it be here?"],
    answers: [
      "I am looking it up for you.",
      "It left our warehouse and arrives tomorrow.",
      "You will get the tracking link by mail.",
    ],
  },
  {
    subject: "Change of appointment",
    opening: "Can I move my appointment to next week?",
    questions: ["Thursday morning would be best.", "Does 9:30 work?"],
    answers: [
      "Of course. Which day suits you?",
      "Thursday 9:30 is free, I have booked it.",
      "You will get a reminder the day before.",
    ],
  },
  {
    subject: "Return and refund",
    opening: "The size does not fit. How do I send it back?",
    questions: ["I have no printer for the label.", "When do I get my money?"],
    answers: [
      "You can return it within 30 days.",
      "Show this code at any parcel shop.",
      "The refund takes three working days.",
    ],
  },
  {
    subject: "Question about an invoice",
    opening: "I was charged twice this month.",
    questions: ["The second one is from the 14th.", "Thanks for checking!"],
    answers: [
      "Thank you for telling us, I will check.",
      "One of them was a reservation and expires today.",
      "Anything else I can do?",
    ],
  },
  {
    subject: "Is this in stock?",
    opening: "Do you have this in green?",
    questions: ["And in a larger size?", "Please keep one for me."],
    answers: [
      "Green comes in on Friday.",
      "Yes, we have two left.",
      "It is reserved under your name until Saturday.",
    ],
  },
];
export const campaignNames: readonly string[] = [
  "Winter opening hours",
  "New arrivals",
  "Customer survey",
  "Loyalty programme",
  "Last seats this month",
  "Welcome series",
];

# Reads a formula as Homebrew does, without Homebrew: ruby formula.rb FORMULA.rb prints as JSON what it declares.
# A word of a formula that stands here nowhere is an error.
require "json"

class Formula
  class << self
    def told
      @told ||= { "build" => [], "run" => [], "macos" => [], "resources" => {} }
    end

    %w[desc homepage license head url sha256 version].each do |word|
      define_method(word) { |text, **rest| told[word] = [text, rest.transform_keys(&:to_s)] }
    end

    def depends_on(what)
      name, when_needed = what.is_a?(Hash) ? what.first : [what, :run]
      told.fetch(when_needed.to_s) << name
    end

    def uses_from_macos(name)
      told["macos"] << name
    end

    def resource(name, &block)
      inner = Class.new(Formula)
      inner.class_eval(&block)
      told["resources"][name] = { "url" => inner.told["url"][0], "sha256" => inner.told["sha256"][0] }
    end

    def test(&block)
      told["test"] = !block.nil?
    end

    def inherited(child)
      super
      Formula.last = child unless child.name.nil?
    end

    attr_accessor :last
  end
end

load ARGV[0]
told = Formula.last.told
told["class"] = Formula.last.name
told["install"] = Formula.last.method_defined?(:install)
puts JSON.generate(told)
